import { Writable } from 'node:stream';
import { expect } from 'vitest';
import { createLog } from '../../../src/platform/log.ts';
import { createRental, type Outcome, type Rental } from '../../../src/rental-api/client.ts';
import { startHttpServer } from '../../support/http-server.ts';
import type { Answer, Asked } from './target.ts';

/** Body as the client's method takes it. The client validates it. */
type Body<Method extends keyof Rental> = Parameters<Rental[Method]>[1];
type Call = (rental: Rental, key: string, body: unknown, id: number) => Promise<Outcome<unknown>>;

const calls: Record<string, Call> = {
  'POST /energy/buy': (rental, key, body) => rental.buyEnergy(key, body as Body<'buyEnergy'>),
  'POST /bandwidth/buy': (rental, key, body) => rental.buyBandwidth(key, body as Body<'buyBandwidth'>),
  'POST /energy/activate': (rental, key, body) =>
    rental.activateAddress(key, body as Body<'activateAddress'>),
  'POST /invoices': (rental, key, body) => rental.createInvoice(key, body as Body<'createInvoice'>),
  'GET /invoices/{id}': (rental, key, _, id) => rental.invoice(key, id),
  'POST /smart-mode/activate': (rental, key, body) =>
    rental.activateSmartMode(key, body as Body<'activateSmartMode'>),
  'GET /smart-mode/subscriptions': (rental, key) => rental.subscriptions(key),
  'POST /smart-mode/{id}/toggle': (rental, key, _, id) => rental.toggleSubscription(key, id),
  'POST /smart-mode/{id}/deactivate': (rental, key, _, id) => rental.deactivateSubscription(key, id),
  'GET /transfer-packages/tiers': (rental, key) => rental.packageTiers(key),
  'GET /account/profile': (rental, key) => rental.profile(key),
  'GET /account/deposit': (rental, key) => rental.depositInfo(key),
  'GET /account/deposits': (rental, key) => rental.deposits(key),
  'POST /account/withdrawal': (rental, key, body) => rental.withdraw(key, body as Body<'withdraw'>),
  'GET /account/withdrawals': (rental, key) => rental.withdrawals(key),
  'POST /webhooks/configure': (rental, key, body) => rental.configureWebhook(key, Object(body).url),
  'GET /webhooks/logs': (rental, key) => rental.webhookLogs(key),
  'GET /prices': (rental, key) => rental.prices(key),
};

/** Returns the client's call for a request, or `undefined` if it has none; then the specification has none either. */
function clientCall(method: string, path: string, body: unknown) {
  const [, id] = /\/(\d{1,15})(?=\/|$)/.exec(path) ?? [];
  const call = calls[`${method} ${id === undefined ? path : path.replace(id, '{id}')}`];
  return call && ((rental: Rental, key: string) => call(rental, key, body, Number(id)));
}

/**
 * Passes each response that the suite receives to the client of `src/rental`, as if the client had sent the request.
 */
export interface ClientWitness {
  show(method: string, path: string, asked: Asked, answer: Answer): Promise<void>;
  close(): Promise<void>;
}

/** Header that identifies the response to repeat. */
const KEY_HEADER = 'x-api-key';

/**
 * Creates a witness whose client sends its requests over HTTP to a stand-in that repeats the responses. Fails if the
 * client sends another request than the suite, or treats an allowed response as `unknown`.
 */
export async function createClientWitness(): Promise<ClientWitness> {
  const repeated = new Map<string, { answer: Answer; seen: string[] }>();
  const shown = new Set<string>();
  let count = 0;
  const log = createLog({
    level: 'fatal',
    stream: new Writable({ write: (_chunk, _encoding, done) => done() }),
  });
  const server = await startHttpServer(async (request) => {
    const one = repeated.get(request.headers.get(KEY_HEADER) ?? '');
    if (!one) return new Response('', { status: 500 });
    one.seen.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`);
    return new Response(one.answer.text, { status: one.answer.status, headers: one.answer.headers });
  });

  const rental = createRental({ baseUrl: server.origin, log, sleep: async () => {} });

  return {
    async show(method, path, { body }, answer) {
      const call = clientCall(method, path, body);
      const hasBody = body instanceof Object;
      if (!call || (body !== undefined && !hasBody)) return;
      const exchange = JSON.stringify([method, path, body, answer.status, answer.text]);
      if (shown.has(exchange)) return;
      shown.add(exchange);
      // A separate key per exchange, because the client applies rate limits per key.
      const key = `key-of-exchange-${++count}`;
      const seen: string[] = [];
      repeated.set(key, { answer, seen });
      const outcome = await call(rental, key);
      repeated.delete(key);

      const what = `${method} ${path}, answered ${answer.status} ${answer.text}`;
      expect(outcome.kind, `${what} to the client: ${JSON.stringify(outcome)}`).not.toBe('unknown');
      const [sent] = seen;
      if (sent === undefined) return;
      expect(outcome.kind, what).toBe(answer.status < 300 ? 'accepted' : 'rejected');
      const [verb, target, ...rest] = sent.split(' ');
      expect([verb, target]).toEqual([method, `/v1${path}`]);
      if (hasBody && outcome.kind === 'accepted')
        expect(JSON.parse(JSON.stringify(body))).toMatchObject(JSON.parse(rest.join(' ')));
    },
    async close() {
      await rental.close();
      await server.close();
    },
  };
}
