import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Call } from '../../src/platform/recent-calls.ts';
import { createExchange, sendOnce } from '../../src/rental-api/http.ts';
import { cutBeforeHead, hang, json, type RentalServer, startRentalServer } from '../support/rental-server.ts';

let server: RentalServer;

beforeEach(async () => {
  server = await startRentalServer(json(200, {}));
});
afterEach(() => server.close());

function exchangeWith(
  url: string,
  {
    reuse = true,
    connectMs = 3_000,
    note,
  }: { reuse?: boolean; connectMs?: number; note?: (call: Call) => void } = {},
) {
  const calls = note && { note };
  const exchange = createExchange({ origin: new URL(url).origin, reuse, connectMs, calls });
  onTestFinished(() => exchange.close());
  return exchange;
}

const post = { method: 'POST', path: '/', headers: {}, body: '{}', timeoutMs: 5_000 } as const;

test('counts a request as sent if its reused connection is reset, and sends it once', async () => {
  server.answerWith((res, received, answered) =>
    (answered < 4 ? json(200, {}) : cutBeforeHead)(res, received, 0),
  );
  const exchange = exchangeWith(server.baseUrl);
  for (let count = 0; count < 4; count += 1)
    expect(await exchange.send(post)).toMatchObject({ kind: 'answered' });
  expect(await exchange.send(post)).toMatchObject({ kind: 'broken', reason: 'cut', head: undefined });
  await exchange.close();
  const [last, ...earlier] = server.requests.map(({ connection }) => connection).reverse();
  expect(earlier).toHaveLength(4);
  expect(earlier).toContain(last);
});

test('loses no request when the server closed an idle connection', async () => {
  const closed: Promise<unknown>[] = [];
  server.answerWith((res, received, answered) => {
    if (res.socket) closed.push(once(res.socket, 'close'));
    json(200, {})(res, received, answered);
    res.socket?.end();
  });
  const exchange = exchangeWith(server.baseUrl);
  for (let count = 0; count < 4; count += 1) {
    expect(await exchange.send(post)).toMatchObject({ kind: 'answered' });
    await Promise.all(closed);
  }
  expect(server.requests).toHaveLength(4);
});

test('sends concurrent requests once each if connections are cut', async () => {
  server.answerWith(cutBeforeHead);
  const exchange = exchangeWith(server.baseUrl);
  const done = await Promise.all(Array.from({ length: 20 }, () => exchange.send(post)));
  await exchange.close();
  expect(new Set(done.map(({ kind }) => kind))).toEqual(new Set(['broken']));
  expect(server.requests).toHaveLength(20);
});

/** Accepts connections and writes nothing, so that a TLS handshake never ends until the test closes them. */
async function silentServer() {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  return `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
}

test('does not send a request if connecting takes too long', async () => {
  const exchange = exchangeWith(await silentServer(), { connectMs: 100 });
  expect(await exchange.send(post)).toEqual({
    kind: 'not-sent',
    message: 'no connection: UND_ERR_CONNECT_TIMEOUT',
  });
});

test('does not send a request that times out before it is connected', async () => {
  const exchange = exchangeWith(await silentServer(), { connectMs: 300 });
  expect(await exchange.send({ ...post, timeoutMs: 50 })).toEqual({
    kind: 'not-sent',
    message: 'no answer within 50 ms',
  });
});

test('reports the response header even if the body did not arrive', async () => {
  server.answerWith((res) => res.writeHead(503, { 'retry-after': '7' }).write('{'));
  const exchange = exchangeWith(server.baseUrl);
  expect(await exchange.send({ ...post, timeoutMs: 1_000 })).toMatchObject({
    kind: 'broken',
    reason: 'timeout',
    head: { status: 503, headers: { 'retry-after': '7' } },
  });
});

test('ignores early hints', async () => {
  server.answerWith((res, ...rest) =>
    res.writeEarlyHints({ link: '</style.css>' }, () => json(201, { done: true })(res, ...rest)),
  );
  expect(await exchangeWith(server.baseUrl).send(post)).toMatchObject({
    kind: 'answered',
    head: { status: 201 },
  });
});

test('reports no response header if the connection is cut after early hints', async () => {
  server.answerWith((res) => res.writeEarlyHints({ link: '</style.css>' }, () => res.socket?.end()));
  expect(await exchangeWith(server.baseUrl).send(post)).toMatchObject({ kind: 'broken', head: undefined });
});

test('closes the connection after a timeout', async () => {
  server.answerWith(hang);
  const exchange = exchangeWith(server.baseUrl);
  expect(await exchange.send({ ...post, timeoutMs: 700 })).toMatchObject({
    kind: 'broken',
    reason: 'timeout',
  });
  await exchange.close();
  expect(server.requests).toHaveLength(1);
});

test('does not send a request with invalid headers', async () => {
  const exchange = exchangeWith(server.baseUrl);
  expect(await exchange.send({ ...post, headers: { 'x-api-key': 'line\nbreak' } })).toMatchObject({
    kind: 'not-sent',
  });
  expect(server.requests).toEqual([]);
});

/** Keeps the request until the test starts it, as a dispatcher would. */
function heldBack() {
  const aborted: Error[] = [];
  let handler: Dispatcher.DispatchHandler = {};
  const controller = { aborted: false, paused: false, reason: null, pause() {}, resume() {}, abort };
  function abort(reason: Error) {
    aborted.push(reason);
    handler.onResponseError?.(controller, reason);
  }
  const dispatcher = {
    dispatch(_options: Dispatcher.DispatchOptions, given: Dispatcher.DispatchHandler) {
      handler = given;
      return true;
    },
  };
  return { dispatcher, aborted, start: () => handler.onRequestStart?.(controller, {}) };
}

test('does not write a request whose connection opens after its timeout', async () => {
  const { dispatcher, aborted, start } = heldBack();
  expect(await sendOnce(dispatcher, { ...post, timeoutMs: 1 })).toMatchObject({ kind: 'not-sent' });
  start();
  expect(aborted).toHaveLength(1);
});

test('does not write a request twice, and counts it as sent', async () => {
  const { dispatcher, aborted, start } = heldBack();
  const sent = sendOnce(dispatcher, post);
  start();
  expect(aborted).toEqual([]);
  start();
  expect(aborted).toHaveLength(1);
  expect(await sent).toMatchObject({ kind: 'broken', reason: 'cut' });
});

test('reports the result of each request, but nothing of its content', async () => {
  const calls: Call[] = [];
  const exchange = exchangeWith(server.baseUrl, { reuse: false, note: (call) => calls.push(call) });
  const secret = { ...post, headers: { 'x-api-key': 'a-secret-key' }, path: '/v1/secret' };
  for (const answer of [
    json(200, {}),
    json(401, {}),
    json(429, {}),
    json(503, { why: 'secret' }),
    cutBeforeHead,
  ]) {
    server.answerWith(answer);
    await exchange.send(secret);
  }
  server.answerWith(hang);
  await exchange.send({ ...secret, timeoutMs: 20 });
  await server.close();
  await exchange.send(secret);
  const ms = expect.any(Number);
  expect(calls).toEqual([
    { kind: 'answered', ms },
    { kind: 'answered', ms },
    { kind: 'limited', ms },
    { kind: 'failed', why: 'HTTP 503' },
    { kind: 'failed', why: expect.stringMatching(/^no whole answer: \w+$/) },
    { kind: 'failed', why: 'no answer within 20 ms' },
    { kind: 'failed', why: expect.stringMatching(/^no connection: \w+$/) },
  ]);
});
