import { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { createRental, type Rental } from '../../src/rental-api/client.ts';
import type { EndpointName } from '../../src/rental-api/endpoints.ts';
import { type Answer, startRentalServer } from '../support/rental-server.ts';

export const KEY = 'key-of-an-account-0123456789';
export const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
export const OTHER_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
export const AT = '2026-02-05T12:00:00Z';
export const purchase = { address: ADDRESS, energy_amount: 65_000, duration_hours: 1 };
export const order = { ...purchase, order_id: 7, price_trx: '2.32', status: 'pending' };
export const invoice = {
  ...purchase,
  invoice_id: 9,
  payment_address: OTHER_ADDRESS,
  price_trx: '2.32',
  price_usdt: '0.75',
  status: 'pending',
  expires_at: AT,
};
export const profile = {
  id: 1001,
  email: 'a@example.com',
  chain_address: ADDRESS,
  balance_trx: '1000.00',
  totp_enabled: false,
  created_at: AT,
};

type Options = Omit<Partial<Parameters<typeof createRental>[0]>, 'baseUrl'> & {
  baseUrl?: (url: string) => string;
};

/** Opens a client and a service that responds with `answer`. Both are closed when the test ends. */
export async function clientOf(answer: Answer, { baseUrl = (url) => url, ...options }: Options = {}) {
  const server = await startRentalServer(answer);
  let clock = Date.UTC(2026, 1, 5);
  const slept: number[] = [];
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const advance = (ms: number) => {
    clock += ms;
  };
  const rental = createRental({
    baseUrl: baseUrl(server.baseUrl),
    log: createLog({ level: 'trace', stream }),
    now: () => clock,
    random: () => 0.5,
    sleep: async (ms) => {
      slept.push(ms);
      advance(ms);
    },
    ...options,
  });
  onTestFinished(async () => {
    await Promise.all([rental.close(), server.close()]);
  });
  return {
    server,
    rental,
    /** Delays of the client, in milliseconds. Sleeping advances the clock and takes no time. */
    slept,
    /** Lines that the client logged. */
    lines,
    advance,
  };
}

/** Calls a method of the client with the test's key. */
export function callMethod(rental: Rental, name: EndpointName, request?: unknown) {
  const method = rental[name] as (key: string, request: unknown) => Promise<unknown>;
  return method(KEY, request);
}
