import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createCallLimiter, createHttpServer, type ServerLimits } from '../../src/web/http-server.ts';
import { createWeb, type RentalWebhook } from '../../src/web/server.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLog } from '../support/log-lines.ts';
import { READY } from './web-server.ts';

const SOON = { requestMs: 200, checkIntervalMs: 20 };
/** No client is cut off for being slow. */
const PATIENT = { requestMs: 3_600_000 };

/** Opens the bot's web server with one webhook, `hook`, and clients that send arbitrary text. */
async function serve(limits: Partial<ServerLimits> = {}) {
  const { log, texts } = recordingLog();
  const rejections: string[] = [];
  const received = vi.fn<RentalWebhook['receive']>(async () => 'accepted');
  const find = vi.fn(async (name: string) =>
    name === 'hook' ? { account: 1001, secrets: ['whsec'] } : undefined,
  );
  const web = createWeb({
    log,
    readiness: () => READY,
    isOpen: () => true,
    updates: { path: '/updates', secretTokens: ['secret'], receive: vi.fn().mockRejectedValue(new Error()) },
    events: {
      ...{ path: '/events/:hook', signatureHeader: 'X-Webhook-Signature', now: () => 0 },
      ...{ find, receive: received, countRejected: (why) => void rejections.push(why) },
    },
  });
  const server: Server = createHttpServer(web.listener, limits);
  let begun = 0;
  server.on('request', () => void begun++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    texts,
    received,
    find,
    rejections,
    server,
    /** Waits until `count` requests have started, which fixes their order. */
    begun: (count: number) => eventually(() => expect(begun).toBe(count)),
    connections: () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count))),
    /**
     * Sends `words` and keeps the connection open. `heard` returns the response, `closed` resolves when the server
     * closes it.
     */
    say(words: string) {
      const socket: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      let heard = '';
      socket.on('data', (chunk) => (heard += chunk));
      socket.on('error', () => {});
      socket.write(words);
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      return { heard: () => heard, closed, more: (rest: string) => void socket.write(rest) };
    },
  };
}

const post = (hook: string, headers: string) =>
  `POST /events/${hook} HTTP/1.1\r\nHost: bot\r\n${headers}\r\n`;
const GET = 'GET /livez HTTP/1.1\r\nHost: bot\r\n\r\n';
const WHOLE = `${post('hook', 'Content-Length: 2\r\n')}{}`;
const HALF = `${post('hook', 'Content-Length: 60000\r\n')}{"event":`;
const HALF_UPDATE = HALF.replace('/events/hook', '/updates').replace(
  'Host',
  'X-Telegram-Bot-Api-Secret-Token: secret\r\nHost',
);

test.each([
  ['event', HALF],
  ['update', HALF_UPDATE],
])('closes connections with an incomplete %s, without effects or log lines', async (_, half) => {
  const { say, connections, received, texts } = await serve(SOON);
  const clients = Array.from({ length: 20 }, () => say(half));
  await Promise.all(clients.map(({ closed }) => closed));
  await eventually(async () => expect(await connections()).toBe(0));
  expect(received).not.toHaveBeenCalled();
  expect(texts).toEqual([]);
});

test('closes connections with incomplete headers', async () => {
  const { say } = await serve(SOON);
  await say('POST /events/hook HTTP/1.1\r\nHost: bot\r\nX-A: ').closed;
});

test('responds to an unknown path before the body arrives, then closes the connection', async () => {
  const { say } = await serve();
  const { heard, closed } = say('POST /nowhere HTTP/1.1\r\nHost: bot\r\nContent-Length: 60000\r\n\r\n');
  await eventually(() => expect(heard()).toMatch(/^HTTP\/1\.1 404 /));
  await closed;
});

test('accepts a body in two pieces', async () => {
  const { say, begun } = await serve();
  const { heard, more } = say(`${post('hook', 'Content-Length: 11\r\n')}{"eve`);
  await begun(1);
  more('nt":1}');
  await eventually(() => expect(heard()).toMatch(/^HTTP\/1\.1 200 /));
});

test('rejects a long body before it has arrived, with and without a declared length', async () => {
  const { say, received, rejections } = await serve();
  const told = say(post('hook', `Content-Length: ${64 * 1024 + 1}\r\n`));
  await eventually(() => expect(told.heard()).toMatch(/^HTTP\/1\.1 413 /));
  const chunk = `10001\r\n${'x'.repeat(0x10001)}\r\n`;
  const untold = say(`${post('hook', 'Transfer-Encoding: chunked\r\n')}${chunk}`);
  await eventually(() => expect(untold.heard()).toMatch(/^HTTP\/1\.1 413 /));
  expect(received).not.toHaveBeenCalled();
  expect(rejections).toEqual(['size', 'size']);
});

test('closes the oldest incomplete connection to accept a new one', async () => {
  const { say, begun, connections } = await serve({ connections: 4, ...PATIENT });
  const oldest = say(HALF);
  await begun(1);
  const others = [say('POST /events/hook HTTP/1.1\r\n'), say(HALF)];
  await begun(2);
  await eventually(async () => expect(await connections()).toBe(3));
  const { heard } = say(WHOLE);
  await eventually(() => expect(heard()).toMatch(/^HTTP\/1\.1 200 /));
  await oldest.closed;
  expect(await connections()).toBe(3);
  expect(others.map((other) => other.heard())).toEqual(['', '']);
});

test('counts the age of a connection from its last request', async () => {
  const { say, begun, connections } = await serve({ connections: 3, ...PATIENT });
  const first = say(GET);
  await begun(1);
  const second = say(HALF);
  await begun(2);
  first.more(GET);
  await begun(3);
  say(HALF);
  await second.closed;
  first.more(GET);
  await begun(5);
  expect(await connections()).toBe(2);
});

test('keeps connections with a request in progress and accepts none above the limit', async () => {
  const { say, received, connections } = await serve({ connections: 3, ...PATIENT });
  const answers: ((verdict: 'accepted') => void)[] = [];
  received.mockImplementation(() => new Promise((resolve) => void answers.push(resolve)));
  const asking: ReturnType<typeof say>[] = [];
  for (let n = 1; n <= 3; n++) {
    asking.push(say(WHOLE));
    await eventually(() => expect(received).toHaveBeenCalledTimes(n));
  }
  for (let n = 0; n < 5; n++) await say(HALF).closed;
  expect(await connections()).toBe(3);
  for (const answer of answers) answer('accepted');
  for (const { heard } of asking) await eventually(() => expect(heard()).toMatch(/^HTTP\/1\.1 200 /));
});

test('applies these limits to the bot’s own server', async () => {
  const { server } = await serve();
  expect(server).toMatchObject({
    headersTimeout: 3_000,
    requestTimeout: 3_000,
    keepAliveTimeout: 65_000,
    maxConnections: 180,
  });
});

test('closes idle connections to accept new ones', async () => {
  const { say } = await serve({ connections: 8, ...PATIENT });
  for (let n = 0; n < 20; n++) {
    const { heard } = say(GET);
    await eventually(() => expect(heard()).toContain('200 OK'));
  }
});

test('counts at most ten thousand names at once', () => {
  const hasRoom = createCallLimiter({ perSecond: 1, now: () => 0 });
  expect([hasRoom('mine'), hasRoom('mine')]).toEqual([true, false]);
  // The count restarts at the limit, so that an exhausted name is allowed again.
  for (let number = 0; number < 10_000; number += 1) hasRoom(`made up ${number}`);
  expect(hasRoom('mine')).toBe(true);
});
