import { setTimeout as delay } from 'node:timers/promises';
import { type Context, Hono, type Next } from 'hono';

/** A request that moves money. `over` is the time at which it was answered or its client disconnected. */
export interface MoneyRequest {
  at: number;
  over?: number;
  /** Purchase that the request is for, named as by `readReceipt`. */
  purchase: string;
  status?: number;
}

/** Requests that the sandbox received, to compare with what users were shown. Times are epoch milliseconds. */
export interface Journal {
  money: MoneyRequest[];
  /**
   * Times at which the bot confirmed updates: with a 2xx response of its webhook, or by the offset of a later poll.
   */
  delivered: [update: number, at: number][];
  polled: [offset: number, at: number][];
}

const MONEY: Record<string, (body: Record<string, unknown>) => string> = {
  '/api/v1/energy/buy': (body) => `energy/${body.energy_amount}/${body.duration_hours}/${body.address}`,
  '/api/v1/bandwidth/buy': (body) =>
    `bandwidth/${body.bandwidth_amount}/${body.duration_hours}/${body.address}`,
  '/api/v1/energy/activate': (body) => `activation/${body.address}`,
};

/**
 * Maximum delay of a request that moves money, in milliseconds. With it, many requests are pending when a process
 * dies.
 */
const SLOWEST_MS = 2_000;

export function createJournal() {
  const kept: Journal = { money: [], delivered: [], polled: [] };
  return {
    control: new Hono().get('/', (c) => c.json(kept)),
    delivered: (update: number) => kept.delivered.push([update, Date.now()]),

    async money(c: Context, next: Next): Promise<void> {
      const name = c.req.method === 'POST' ? MONEY[c.req.path] : undefined;
      if (name === undefined) return next();
      const body = (await c.req.raw.clone().json()) as Record<string, unknown>;
      const request: MoneyRequest = { at: Date.now(), purchase: name(body) };
      kept.money.push(request);
      // Spreads the delays over the whole range, with the same delay for the same purchase.
      await delay(Buffer.from(request.purchase).reduce((sum, byte) => (sum * 31 + byte) % SLOWEST_MS, 0));
      await next();
      request.over = Date.now();
      request.status = c.res.status;
    },

    async polls(c: Context, next: Next): Promise<void> {
      if (c.req.path.endsWith('/getUpdates')) {
        const { offset } = (await c.req.raw
          .clone()
          .json()
          .catch(() => ({}))) as { offset?: number };
        if (offset !== undefined && offset > (kept.polled.at(-1)?.[0] ?? 0))
          kept.polled.push([offset, Date.now()]);
      }
      await next();
    },
  };
}
