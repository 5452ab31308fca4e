import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createHttpServer, type ServerLimits } from '../../src/web/http-server.ts';
import { createWeb } from '../../src/web/server.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLog } from '../support/log-lines.ts';

const SOON = { requestMs: 200, headersMs: 100, lookMs: 20 };

/** The bot's web server with one hook, `hook`, and clients that say what they like. */
async function serve(limits: Partial<ServerLimits> = {}) {
  const { log, texts } = recordingLog();
  const refusals: string[] = [];
  const received = vi.fn(async () => 'taken' as const);
  const web = createWeb({
    log,
    ready: async () => true,
    events: {
      path: '/events/:hook',
      signatureHeader: 'X-Webhook-Signature',
      now: () => 0,
      find: async (name) => (name === 'hook' ? { account: 1001, secrets: ['whsec'] } : undefined),
      receive: received,
      refused: (why) => void refusals.push(why),
    },
  });
  const server: Server = createHttpServer(web.fetch, limits);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    texts,
    received,
    refusals,
    server,
    connections: () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count))),
    /** Sends this and no more; `heard` is what was answered, `closed` resolves when the server has hung up. */
    say(words: string) {
      const socket: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      let heard = '';
      socket.on('data', (chunk) => (heard += chunk));
      socket.on('error', () => {});
      socket.write(words);
      return { heard: () => heard, closed: once(socket, 'close') };
    },
  };
}

const post = (hook: string, headers: string) =>
  `POST /events/${hook} HTTP/1.1\r\nHost: bot\r\n${headers}\r\n`;
const HALF = `${post('hook', 'Content-Length: 60000\r\n')}{"event":`;

test('bodies that are half sent are cut, hold nothing and leave no line in the log', async () => {
  const { say, connections, received, texts } = await serve(SOON);
  const clients = Array.from({ length: 20 }, () => say(HALF));
  await Promise.all(clients.map(({ closed }) => closed));
  await eventually(async () => expect(await connections()).toBe(0));
  expect(received).not.toHaveBeenCalled();
  expect(texts).toEqual([]);
});

test('so are headers that are half sent', async () => {
  const { say } = await serve(SOON);
  await say('POST /events/hook HTTP/1.1\r\nHost: bot\r\nX-A: ').closed;
});

test('where nothing is known, the answer comes before the body', async () => {
  const { say } = await serve();
  const { heard } = say(post('other', 'Content-Length: 60000\r\n'));
  await eventually(() => expect(heard()).toMatch(/^HTTP\/1\.1 404 /));
});

test('a body that is too long is refused before it is there, also where its length is not told', async () => {
  const { say, received, refusals } = await serve();
  const told = say(post('hook', `Content-Length: ${64 * 1024 + 1}\r\n`));
  await eventually(() => expect(told.heard()).toMatch(/^HTTP\/1\.1 413 /));
  const chunk = `10001\r\n${'x'.repeat(0x10001)}\r\n`;
  const untold = say(`${post('hook', 'Transfer-Encoding: chunked\r\n')}${chunk}`);
  await eventually(() => expect(untold.heard()).toMatch(/^HTTP\/1\.1 413 /));
  expect(received).not.toHaveBeenCalled();
  expect(refusals).toEqual(['size', 'size']);
});

test('no more connections are taken than there is room for', async () => {
  const { say, connections } = await serve({ connections: 3 });
  const clients = Array.from({ length: 3 }, () => say(HALF));
  await eventually(async () => expect(await connections()).toBe(3));
  await say(HALF).closed;
  expect(await connections()).toBe(3);
  expect(clients.map(({ heard }) => heard())).toEqual(['', '', '']);
});

test('the bot’s own server has these limits', async () => {
  const { server } = await serve();
  expect(server).toMatchObject({
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    keepAliveTimeout: 65_000,
    maxConnections: 400,
  });
});

test('connections that are only held make room for those that ask', async () => {
  const { say } = await serve({ connections: 8 });
  for (let n = 0; n < 20; n++) {
    const { heard } = say('GET /livez HTTP/1.1\r\nHost: bot\r\n\r\n');
    await eventually(() => expect(heard()).toContain('200 OK'));
  }
});
