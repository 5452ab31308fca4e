import { setTimeout as delay } from 'node:timers/promises';
import { type Context, Hono, type Next } from 'hono';
import { ENDPOINTS } from '../../src/rental-api/endpoints.ts';

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

/** Names of the purchases that users make, by the path of the endpoint. Other requests of money aren't expected. */
export const PURCHASES = new Map<string, (body: Record<string, unknown>) => string>([
  [ENDPOINTS.buyEnergy.path, (body) => `energy/${body.energy_amount}/${body.duration_hours}/${body.address}`],
  [
    ENDPOINTS.buyBandwidth.path,
    (body) => `bandwidth/${body.bandwidth_amount}/${body.duration_hours}/${body.address}`,
  ],
  [ENDPOINTS.activateAddress.path, (body) => `activation/${body.address}`],
]);

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
      const path = c.req.path.replace('/api/v1', '');
      const endpoint = Object.values(ENDPOINTS).find((one) => one.kind === 'money' && one.path === path);
      if (c.req.method !== 'POST' || endpoint === undefined) return next();
      const name = PURCHASES.get(path) ?? (() => `${endpoint.name}: add it to PURCHASES of journal.ts`);
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
