import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Dispatcher, Pool } from 'undici';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRecentCalls, requestOnce } from '../../src/platform/service-calls.ts';
import { eventually } from '../support/eventually.ts';
import { cutBeforeHead, hang, json, type RentalServer, startRentalServer } from '../support/rental-server.ts';

describe('recent calls', () => {
  const MINUTE = 60_000;
  const FAILED = { kind: 'failed', endpoint: 'profile', reason: 'HTTP 500' } as const;

  function open() {
    const clock = { now: 10 * MINUTE };
    return { clock, calls: createRecentCalls({ now: () => clock.now }) };
  }

  test('returns no times and zero counts before the first call', () => {
    expect(open().calls.seen()).toEqual({
      sinceSuccessMs: undefined,
      ...{ calls: 0, failed: 0, limited: 0, medianMs: undefined },
    });
  });

  test('returns the last success, and counts failures', () => {
    const { calls, clock } = open();
    calls.note(FAILED);
    clock.now += 1;
    calls.note({ kind: 'answered', ms: 5 });
    expect(calls.seen()).toMatchObject({ sinceSuccessMs: 0 });
    for (let times = 0; times < 2; times += 1) {
      clock.now += 1;
      calls.note(FAILED);
    }
    expect(calls.seen()).toMatchObject({ sinceSuccessMs: 2, calls: 4, failed: 3 });
  });

  test('counts a rate-limited response separately, and as a success', () => {
    const { calls } = open();
    calls.note(FAILED);
    calls.note({ kind: 'limited', ms: 3 });
    const counts = { calls: 2, failed: 1, limited: 1 };
    expect(calls.seen()).toMatchObject({ ...counts, sinceSuccessMs: 0 });
  });

  test('computes the median from timed calls only', () => {
    const { calls } = open();
    for (const ms of [9, 1, 2, 100, 3]) calls.note({ kind: 'answered', ms });
    calls.note({ kind: 'answered' });
    expect(calls.seen()).toMatchObject({ calls: 6, medianMs: 3 });
  });

  test('drops calls after five minutes but keeps the last success', () => {
    const { calls, clock } = open();
    const at = clock.now;
    calls.note({ kind: 'answered', ms: 5 });
    clock.now += 4 * MINUTE;
    calls.note(FAILED);
    expect(calls.seen()).toMatchObject({ calls: 2, medianMs: 5 });
    clock.now += MINUTE;
    expect(calls.seen()).toMatchObject({ calls: 1, medianMs: undefined });
    clock.now += 5 * MINUTE;
    expect(calls.seen()).toMatchObject({ calls: 0, failed: 0, sinceSuccessMs: clock.now - at });
  });

  test('counts all calls but times only the last ones', () => {
    const { calls } = open();
    for (let count = 0; count < 20_000; count += 1) {
      calls.note({ kind: 'answered', ms: count < 19_000 ? 1 : 7 });
    }
    expect(calls.seen()).toMatchObject({ calls: 20_000, medianMs: 7 });
  });
});

describe('a request', () => {
  let server: RentalServer;
  let pool: Pool;

  beforeEach(async () => {
    server = await startRentalServer(hang);
    pool = poolOf(server.baseUrl, { connections: 1 });
  });

  afterEach(() => server.close());

  function poolOf(url: string, options: Pool.Options = {}): Pool {
    const opened = new Pool(new URL(url).origin, options);
    onTestFinished(() => opened.destroy());
    return opened;
  }

  const POST = { path: '/', method: 'POST' } as const;

  function begin(
    body: string,
    { over = pool as Pick<Dispatcher, 'dispatch'>, startMs = 3600_000, headers = {} } = {},
  ) {
    const call = new AbortController();
    const limits = { signal: call.signal, startMs };
    const result = requestOnce(over, { ...POST, headers, body }, limits);
    return { result, abort: () => call.abort(new Error('no more')) };
  }

  const bodies = () => server.requests.map(({ body }) => body);

  test.each([
    ['was aborted while it waited for a connection', 'no more', undefined],
    ['found no connection in time', 'no free connection', 1],
  ])('does not write a request that %s', async (_, message, startMs) => {
    const first = begin('first');
    await eventually(() => expect(bodies()).toEqual(['first']));
    const second = begin('second', { startMs });
    if (startMs === undefined) second.abort();
    expect(await second.result).toMatchObject({ kind: 'not-sent', error: { message } });
    first.abort();
    expect(await first.result).toMatchObject({
      kind: 'broken',
      head: undefined,
      error: { message: 'no more' },
    });
    begin('third');
    await eventually(() => expect(bodies()).toEqual(['first', 'third']));
  });

  test('does not write a request that was aborted before it started', async () => {
    const signal = AbortSignal.abort(new Error('no more'));
    expect(await requestOnce(pool, POST, { signal })).toMatchObject({ kind: 'not-sent' });
  });

  test('does not write a request with invalid headers', async () => {
    const { result } = begin('', { headers: { 'x-api-key': 'line\nbreak' } });
    expect(await result).toMatchObject({ kind: 'not-sent' });
    expect(server.requests).toEqual([]);
  });

  test('does not write a request if connecting takes too long', async () => {
    const sockets: Socket[] = [];
    // Accepts connections and writes nothing, so that the TLS handshake never ends.
    const silent = createServer((socket) => sockets.push(socket.on('error', () => {})));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const over = poolOf(`https://127.0.0.1:${port}`, { connect: { timeout: 100 } });
    const { result } = begin('', { over });
    expect(await result).toMatchObject({ kind: 'not-sent', error: { code: 'UND_ERR_CONNECT_TIMEOUT' } });
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test.each([0, 4])(
    'counts a request as sent if its connection is reset after %i responses',
    async (before) => {
      server.answerWith((res, received, answered) =>
        (answered < before ? json(200, {}) : cutBeforeHead)(res, received, answered),
      );
      for (let count = 0; count < before; count += 1)
        expect(await begin('').result).toMatchObject({ kind: 'answered', head: { status: 200 }, body: '{}' });
      expect(await begin('').result).toMatchObject({ kind: 'broken', head: undefined });
      await pool.close();
      expect(server.requests).toHaveLength(before + 1);
    },
  );

  test('loses no request when the server closed an idle connection', async () => {
    const closed: Promise<unknown>[] = [];
    server.answerWith((res, received, answered) => {
      if (res.socket) closed.push(once(res.socket, 'close'));
      json(200, {})(res, received, answered);
      res.socket?.end();
    });
    for (let count = 0; count < 4; count += 1) {
      expect(await begin('').result).toMatchObject({ kind: 'answered' });
      await Promise.all(closed);
    }
    expect(server.requests).toHaveLength(4);
  });

  test('sends concurrent requests once each if connections are cut', async () => {
    server.answerWith(cutBeforeHead);
    const over = poolOf(server.baseUrl);
    const results = await Promise.all(Array.from({ length: 20 }, () => begin('', { over }).result));
    await over.close();
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['broken']));
    expect(server.requests).toHaveLength(20);
  });

  test('reports the response header if the body did not arrive, and closes the connection', async () => {
    server.answerWith((res) => res.writeHead(503, { 'retry-after': '7' }).write('{'));
    const arrived = vi.fn();
    const over: Pick<Dispatcher, 'dispatch'> = {
      dispatch: (request, handler) =>
        pool.dispatch(request, {
          onRequestStart: (...args) => handler.onRequestStart?.(...args),
          onResponseStart: (...args) => arrived(handler.onResponseStart?.(...args)),
          onResponseError: (...args) => handler.onResponseError?.(...args),
        }),
    };
    const { result, abort } = begin('', { over });
    await eventually(() => expect(arrived).toHaveBeenCalled());
    abort();
    const head = { status: 503, headers: { 'retry-after': '7' } };
    expect(await result).toMatchObject({ kind: 'broken', head, error: { message: 'no more' } });
    await pool.close();
  });

  test('ignores early hints', async () => {
    server.answerWith((res, ...rest) =>
      res.writeEarlyHints({ link: '</style.css>' }, () => json(201, { done: true })(res, ...rest)),
    );
    expect(await begin('').result).toMatchObject({ kind: 'answered', head: { status: 201 } });
  });

  test('reports no response header if the connection is cut after early hints', async () => {
    server.answerWith((res) => res.writeEarlyHints({ link: '</style.css>' }, () => res.socket?.end()));
    expect(await begin('').result).toMatchObject({ kind: 'broken', head: undefined });
  });

  /** Creates a dispatcher that holds the request until the test starts it and sends the response. */
  function heldBack() {
    const aborted: Error[] = [];
    let handler: Dispatcher.DispatchHandler = {};
    const abort = (reason: Error) => {
      aborted.push(reason);
      handler.onResponseError?.(controller, reason);
    };
    const controller = { aborted: false, paused: false, reason: null, pause() {}, resume() {}, abort };
    const over = {
      dispatch(_: Dispatcher.DispatchOptions, given: Dispatcher.DispatchHandler) {
        handler = given;
        return true;
      },
    };
    return {
      over,
      aborted,
      start: () => handler.onRequestStart?.(controller, {}),
      answer: (status: number) => {
        handler.onResponseStart?.(controller, status, {});
        handler.onResponseEnd?.(controller, {});
      },
    };
  }

  test('does not write a request whose connection opens after it was aborted', async () => {
    const { over, aborted, start } = heldBack();
    const { result, abort } = begin('', { over });
    abort();
    expect(await result).toMatchObject({ kind: 'not-sent' });
    start();
    expect(aborted).toHaveLength(1);
  });

  test('writes a request once even if the dispatcher would repeat it, and counts it as sent', async () => {
    const { over, aborted, start } = heldBack();
    const { result } = begin('', { over });
    start();
    expect(aborted).toEqual([]);
    start();
    expect(aborted).toMatchObject([{ message: 'written at most once' }]);
    expect(await result).toMatchObject({ kind: 'broken' });
  });

  test('does not apply the maximum wait for a connection to the response', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { over, start, answer } = heldBack();
    const { result } = begin('', { over, startMs: 10_000 });
    start();
    vi.advanceTimersByTime(30_000);
    answer(200);
    expect(await result).toEqual({ kind: 'answered', head: { status: 200, headers: {} }, body: '' });
  });
});
