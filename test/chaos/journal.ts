import { setTimeout as delay } from 'node:timers/promises';
import { type Context, Hono, type Next } from 'hono';

/** A request that moves money, as it came in; it is over once it was answered or its client had gone. */
export interface MoneyRequest {
  at: number;
  over?: number;
  /** Whose purchase it asks for, as `purchase.ts` names it. */
  purchase: string;
  status?: number;
}

/** What came in: to be compared with what people were told. Times are epoch milliseconds. */
export interface Journal {
  money: MoneyRequest[];
  /** When the bot took an update for good: its webhook's 2xx, or the offset of a later poll. */
  delivered: [update: number, at: number][];
  polled: [offset: number, at: number][];
}

const MONEY: Record<string, (body: Record<string, unknown>) => string> = {
  '/api/v1/energy/buy': (body) => `energy/${body.energy_amount}/${body.duration_hours}/${body.address}`,
  '/api/v1/bandwidth/buy': (body) =>
    `bandwidth/${body.bandwidth_amount}/${body.duration_hours}/${body.address}`,
  '/api/v1/energy/activate': (body) => `activation/${body.address}`,
};

/** The service takes its time over money, so that many requests are under way when something dies. */
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
      // Spread over all lengths, and the same for the same purchase.
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
