import { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { createRental, type Rental, type RentalTimeouts } from '../../src/rental-api/client.ts';
import { type Answer, type RentalServer, startRentalServer } from '../support/rental-server.ts';

export const KEY = 'key-of-an-account-0123456789';
export const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
export const purchase = { address: ADDRESS, energy_amount: 65_000, duration_hours: 1 };
export const order = { ...purchase, order_id: 7, price_trx: '2.32', status: 'pending' };
export const profile = {
  id: 1001,
  email: 'a@example.com',
  chain_address: ADDRESS,
  balance_trx: '1000.00',
  totp_enabled: false,
  created_at: '2026-01-01T00:00:00Z',
};

export interface Fixture {
  server: RentalServer;
  rental: Rental;
  /** Delays of the client, in milliseconds. Sleeping advances the clock and takes no time. */
  slept: number[];
  /** Lines that the client logged. */
  lines: string[];
  advance(ms: number): void;
}

/** Opens a client and a service that responds with `answer`. Both are closed when the test ends. */
export async function clientOf(
  answer: Answer,
  options: { baseUrl?: (url: string) => string; timeouts?: Partial<RentalTimeouts> } = {},
): Promise<Fixture> {
  const { baseUrl = (url) => url, timeouts = {} } = options;
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
    timeouts,
  });
  onTestFinished(async () => {
    await Promise.all([rental.close(), server.close()]);
  });
  return { server, rental, slept, lines, advance };
}
