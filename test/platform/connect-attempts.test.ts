import dns from 'node:dns';
import net from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createRental } from '../../src/rental-api/client.ts';
import { createApi, createTelegramTransport } from '../../src/telegram/fetch.ts';
import { startHttpServer } from '../support/http-server.ts';
import { silentLog } from '../support/log-lines.ts';

const HOST = 'two-addresses.test';
const defaultTimeout = net.getDefaultAutoSelectFamilyAttemptTimeout();

afterEach(() => {
  net.setDefaultAutoSelectFamilyAttemptTimeout(defaultTimeout);
  vi.restoreAllMocks();
});

/** Starts a server at the IPv4 address of a host, whose IPv6 address nothing listens on. Returns its origin. */
async function serve(): Promise<string> {
  const { origin, close } = await startHttpServer(() => Response.json({ ok: true, result: {} }));
  onTestFinished(close);
  // Node's minimum. Attempts that use the default end before the slow address responds.
  net.setDefaultAutoSelectFamilyAttemptTimeout(10);
  const lookup = (_host: string, _options: object, found: (error: null, addresses: object[]) => void) => {
    found(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    // The connection is established meanwhile, but Node sees it later.
    const until = performance.now() + 50;
    while (performance.now() < until);
  };
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup);
  return origin.replace('127.0.0.1', HOST);
}

const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const PURCHASE = { address: ADDRESS, bandwidth_amount: 1_000, duration_hours: 24 };

test.each<[string, call: (origin: string) => Promise<unknown>]>([
  [
    'Telegram',
    (apiRoot) => {
      const telegram = createTelegramTransport({ token: '700:x', log: silentLog(), apiRoot });
      onTestFinished(telegram.close);
      return createApi('700:x', telegram.notificationClient).getMe();
    },
  ],
  ['a read of the rental service', (baseUrl) => callRental(baseUrl, (rental) => rental.prices('key'))],
  ['a purchase', (baseUrl) => callRental(baseUrl, (rental) => rental.buyBandwidth('key', PURCHASE))],
])('%s reaches a slow address of a host that has another, unreachable one', async (_, call) => {
  const connecting = vi.spyOn(net, 'connect');
  await call(await serve());
  expect(connecting.mock.calls).toMatchObject([[{ autoSelectFamilyAttemptTimeout: 2_000 }]]);
});

/** Expects that the request was sent, whatever the response is. */
async function callRental(baseUrl: string, request: (rental: Rental) => Promise<{ kind: string }>) {
  const rental = createRental({ baseUrl, log: silentLog() });
  onTestFinished(async () => void (await rental.close()));
  const outcome = await request(rental);
  expect(outcome).not.toMatchObject({ kind: 'not-sent' });
}

type Rental = ReturnType<typeof createRental>;
