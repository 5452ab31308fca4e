import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { RentalStandIn } from './rental-stand-in.ts';
import type { Answered } from './telegram-stand-in.ts';

/** A request to one of the stand-ins. */
export interface Call {
  method: string;
  path: string;
  key: string | undefined;
  body: string;
}

const TELEGRAM = '/telegram/';
const RENTAL = '/api/v1';
const JSON_TYPE = { 'content-type': 'application/json' };
/** Headers of every response of the service (specification, section 8). This stand-in never limits requests. */
const RENTAL_HEADERS = {
  ...JSON_TYPE,
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '59',
  'x-ratelimit-reset': '60',
};

/** Serves both stand-ins on one port. Calls `hear` for every request. */
export async function serveStandIns(deps: {
  telegram: (method: string, body: string) => Answered;
  rental: RentalStandIn;
  hear: (call: Call) => void;
  /** Delays of the responses in milliseconds. A request takes effect when it arrives. */
  delays: () => { telegramMs: number; rentalMs: number };
}): Promise<string> {
  const { telegram, rental, hear, delays } = deps;

  async function serve(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const { method = '', url: path = '' } = request;
    const key = request.headers['x-api-key'];
    hear({ method, path, key: typeof key === 'string' ? key : undefined, body });
    if (path.startsWith(TELEGRAM)) {
      const { status, answer } = telegram(path.slice(path.lastIndexOf('/') + 1), body);
      if (delays().telegramMs > 0) await delay(delays().telegramMs);
      send(response, status, JSON_TYPE, answer);
    } else if (path.startsWith(RENTAL)) {
      const answer = await rental.answer(method, path.slice(RENTAL.length), String(key), body);
      if (delays().rentalMs > 0) await delay(delays().rentalMs);
      send(response, 200, RENTAL_HEADERS, answer);
    } else send(response, 404, JSON_TYPE, {});
  }

  const server = createServer({ keepAliveTimeout: 60_000, noDelay: true }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      serve(request, response, Buffer.concat(chunks).toString('utf8')).catch((error: Error) => {
        process.stderr.write(`${error.message}\n`);
        send(response, 500, JSON_TYPE, { detail: error.message });
      });
    });
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 2_048 });
  await once(server, 'listening');
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('no TCP port');
  return `http://127.0.0.1:${address.port}`;
}

function send(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  answer: unknown,
): void {
  const text = JSON.stringify(answer);
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
