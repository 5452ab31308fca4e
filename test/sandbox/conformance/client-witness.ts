import { Writable } from 'node:stream';
import { expect } from 'vitest';
import { createLog } from '../../../src/platform/log.ts';
import { createRental, type Outcome, type Rental } from '../../../src/rental-api/client.ts';
import { ENDPOINTS } from '../../../src/rental-api/endpoints.ts';
import { startHttpServer } from '../../support/http-server.ts';
import type { Answer, Asked } from './target.ts';

const patterns = Object.values(ENDPOINTS).map(({ name, kind, path }) => ({
  name,
  method: kind === 'read' ? 'GET' : 'POST',
  pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>\\d{1,15})')}$`),
}));

/** Returns the client's call for a request, or `undefined` if it has none; then the specification has none either. */
function clientCall(method: string, path: string, body: unknown) {
  const called = patterns.find((one) => one.method === method && one.pattern.test(path));
  if (called === undefined) return undefined;
  const ids = Object.entries(called.pattern.exec(path)?.groups ?? {}).map(([name, id]) => [name, Number(id)]);
  const request = { ...Object(body), ...Object.fromEntries(ids) };
  const asked = Object.keys(request).length === 0 ? body : request;
  return (rental: Rental, key: string): Promise<Outcome<unknown>> =>
    Reflect.get(rental, called.name)(key, asked);
}

/**
 * Passes each response that the suite receives to the client of `src/rental-api`, as if the client had sent the request.
 */
interface ClientWitness {
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
