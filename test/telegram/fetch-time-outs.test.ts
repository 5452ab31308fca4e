import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import type { HttpError } from 'grammy';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import {
  createApi,
  createTelegramTransport,
  NotWrittenError,
  type TelegramTransport,
} from '../../src/telegram/fetch.ts';
import { silentLog } from '../support/log-lines.ts';

/** Tolerance for undici's timers, which tick every half second, in milliseconds. */
const STEP_MS = 1_000;

const servers: (Server | TcpServer)[] = [];
let telegram: TelegramTransport;

// The client's timers are fake, those of the servers are real. undici keeps its timer across test files.
const undiciTimers: { reset(): void } = createRequire(import.meta.url)('undici/lib/util/timers.js');

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  undiciTimers.reset();
});

afterAll(() => {
  undiciTimers.reset();
  vi.useRealTimers();
});

afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
  await telegram.close();
});

async function listen(server: Server | TcpServer): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a server that accepts every request and responds with `answer`, by default never. */
async function startServer(answer: (response: ServerResponse) => void = () => {}) {
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.resume().on('end', () => answer(response));
    server.emit('taken');
  });
  const root = `http://${await listen(server)}`;
  telegram = createTelegramTransport({ token: '700:x', log: silentLog(), apiRoot: root });
  /** Starts a call. Resolves once the server has received it. */
  const begin = async (method: Parameters<typeof call>[0]) => {
    const taken = once(server, 'taken');
    const calling = call(method);
    await taken;
    return calling;
  };
  return { server, root, begin };
}

/** Starts a call. Its result stays empty until the call ends. */
function call(method: 'answerCallbackQuery' | 'sendMessage' | 'getUpdates') {
  const found: { error?: unknown; result?: unknown } = {};
  const { raw } = createApi('700:x', telegram.notificationClient);
  const ended = raw[method]({ chat_id: 501, text: 'x', callback_query_id: '1' }).then(
    (result) => Object.assign(found, { result }),
    ({ error }: HttpError) => Object.assign(found, { error }),
  );
  return { found, ended };
}

/** Expects the call to end after `ms`, and returns its error. */
async function endsAfter(ms: number, { found, ended }: ReturnType<typeof call>) {
  await vi.advanceTimersByTimeAsync(ms - STEP_MS);
  expect(found).toEqual({});
  await vi.advanceTimersByTimeAsync(2 * STEP_MS);
  await ended;
  return found.error;
}

/** Resolves once undici reports an event (https://undici.nodejs.org/#/docs/api/DiagnosticsChannel). */
function published(channel: string): Promise<void> {
  return new Promise((resolve) => {
    const came = () => {
      unsubscribe(channel, came);
      resolve();
    };
    subscribe(channel, came);
  });
}

/** Resolves once a response has started. */
const headersCome = () => published('undici:request:headers');

const CALLS = [
  ['answerCallbackQuery', 5_000],
  ['sendMessage', 10_000],
  ['getUpdates', 45_000],
] as const;

test.each(CALLS)('waits for a response to %s for %i ms', async (method, ms) => {
  const { begin } = await startServer();
  const error = await endsAfter(ms, await begin(method));
  expect(error).toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
});

test.each(CALLS)('waits for the rest of a response to %s for %i ms', async (method, ms) => {
  const { begin } = await startServer((response) => response.writeHead(200).write('{"ok":'));
  const answering = headersCome();
  const calling = await begin(method);
  await answering;
  const error = await endsAfter(ms, calling);
  expect(error).toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' });
});

test.each(CALLS)(
  'gives up %s if its response comes byte by byte, though each byte within %i ms',
  async (method, ms) => {
    let dripping: ServerResponse | undefined;
    const { begin } = await startServer((response) => {
      dripping = response;
      response.writeHead(200).write('{"ok":true');
    });
    const answering = headersCome();
    const calling = await begin(method);
    await answering;
    const closed = dripping && once(dripping, 'close');
    const totalMs = 10_000 + 2 * ms;
    for (let leftMs = totalMs - STEP_MS; leftMs > 0; leftMs -= ms / 2) {
      const received = published('undici:request:bodyChunkReceived');
      dripping?.write(' ');
      await received;
      await vi.advanceTimersByTimeAsync(Math.min(leftMs, ms / 2));
    }
    expect(calling.found).toEqual({});
    await vi.advanceTimersByTimeAsync(2 * STEP_MS);
    await calling.ended;
    expect(calling.found.error).toMatchObject({ name: 'ResponseTimeout' });
    await closed;
  },
);

test('gives fifty calls a connection each and lets the next wait ten seconds', async () => {
  const { begin } = await startServer();
  for (let count = 0; count < 50; count += 1) await begin('getUpdates');
  const error = await endsAfter(10_000, call('sendMessage'));
  expect(error).toBeInstanceOf(NotWrittenError);
  expect(error).toMatchObject({ cause: { message: 'no free connection' } });
});

test('gives up connecting after five seconds and reports nothing as written', async () => {
  const mute = createTcpServer();
  const connected = once(mute, 'connection');
  const root = `https://${await listen(mute)}`;
  telegram = createTelegramTransport({ token: '700:x', log: silentLog(), apiRoot: root });
  const calling = call('sendMessage');
  const [socket] = await connected;
  const error = await endsAfter(5_000, calling);
  socket.destroy();
  expect(error).toBeInstanceOf(NotWrittenError);
  expect(error).toMatchObject({ cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } });
});

test('keeps an unused connection open for ten seconds', async () => {
  const { server, begin } = await startServer((response) => response.end('{"ok":true,"result":1}'));
  let made = 0;
  server.on('connection', () => (made += 1));
  const again = async () => (await begin('sendMessage')).ended;
  await again();
  await vi.advanceTimersByTimeAsync(9_999);
  await again();
  expect(made).toBe(1);
  await vi.advanceTimersByTimeAsync(10_000);
  await again();
  expect(made).toBe(2);
});
