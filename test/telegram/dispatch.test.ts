import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dispatcher, Pool } from 'undici';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dispatch, NotWrittenError } from '../../src/telegram/fetch.ts';
import { eventually } from '../support/eventually.ts';

const REQUEST = { path: '/', method: 'POST' } as const;
const NEVER = 3600_000;

let server: Server;
let pool: Pool;
/** Bodies of received requests. The server never responds. */
let came: string[];

beforeEach(async () => {
  came = [];
  server = createServer(async (request) => {
    for await (const chunk of request) came.push(String(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 });
});

afterEach(async () => {
  await pool.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function begin(body: string, { startMs = NEVER, over = pool as Pick<Dispatcher, 'dispatch'> } = {}) {
  const call = new AbortController();
  const failed = dispatch(over, { ...REQUEST, body }, { signal: call.signal, startMs }).then(
    () => 'answered',
    (error: unknown) => error,
  );
  return { failed, abort: () => call.abort(new Error('no more')) };
}

test('does not write a request that was aborted while waiting for a connection', async () => {
  const first = begin('first');
  await eventually(() => expect(came).toEqual(['first']));
  const second = begin('second');
  second.abort();
  expect(await second.failed).toMatchObject({ name: 'NotWritten', cause: { message: 'no more' } });
  first.abort();
  expect(await first.failed).not.toBeInstanceOf(NotWrittenError);
  begin('third');
  await eventually(() => expect(came).toEqual(['first', 'third']));
});

test('does not write a request that found no connection in time', async () => {
  const first = begin('first');
  await eventually(() => expect(came).toEqual(['first']));
  const second = begin('second', { startMs: 1 });
  expect(await second.failed).toMatchObject({ name: 'NotWritten', cause: { message: 'no free connection' } });
  first.abort();
  begin('third');
  await eventually(() => expect(came).toEqual(['first', 'third']));
});

test('does not write a request that was aborted before it started', async () => {
  const call = new AbortController();
  call.abort();
  const limits = { signal: call.signal, startMs: NEVER };
  await expect(dispatch(pool, REQUEST, limits)).rejects.toBeInstanceOf(NotWrittenError);
});

test('does not write a request after closing', async () => {
  await pool.close();
  expect(await begin('late').failed).toBeInstanceOf(NotWrittenError);
});

test('reports a refused connection as not written', async () => {
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const over = new Pool(`http://127.0.0.1:${port}`);
  expect(await begin('nowhere', { over }).failed).toMatchObject({
    name: 'NotWritten',
    cause: { code: 'ECONNREFUSED' },
  });
  await over.destroy();
});

test('reports a request as possibly written if the connection was cut after it started', async () => {
  const cut = begin('cut');
  await eventually(() => expect(came).toHaveLength(1));
  server.closeAllConnections();
  expect(await cut.failed).toMatchObject({ code: 'UND_ERR_SOCKET' });
});

test('writes a request once even if the dispatcher would repeat it', async () => {
  const aborted: Error[] = [];
  const twice: Pick<Dispatcher, 'dispatch'> = {
    dispatch(_request, handler) {
      for (let times = 0; times < 2; times += 1) {
        const abort = (error: Error) => {
          aborted.push(error);
          handler.onResponseError?.({} as never, error);
        };
        handler.onRequestStart?.({ abort } as never, {});
      }
      return true;
    },
  };
  const error = await begin('twice', { over: twice }).failed;
  expect(aborted.map(({ message }) => message)).toContain('written at most once');
  expect(error).not.toBeInstanceOf(NotWrittenError);
});

/** Starts a request over a connection whose other side the test plays. */
function played(startMs: number) {
  let handler: Dispatcher.DispatchHandler = {};
  const over = {
    dispatch(_: Dispatcher.DispatchOptions, given: Dispatcher.DispatchHandler) {
      handler = given;
      return true;
    },
  };
  const { signal } = new AbortController();
  const answer = dispatch(over, { ...REQUEST, body: '' }, { signal, startMs });
  const controller = {} as Dispatcher.DispatchController;
  return {
    answer,
    written: () => handler.onRequestStart?.(controller, {}),
    status: (code: number) => handler.onResponseStart?.(controller, code, {}),
    end: () => handler.onResponseEnd?.(controller, {}),
  };
}

test('does not apply the connection timeout to a long poll’s response', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { answer, written, status, end } = played(10_000);
    written();
    vi.advanceTimersByTime(30_000);
    status(200);
    end();
    expect(await answer).toEqual({ status: 200, text: '' });
  } finally {
    vi.useRealTimers();
  }
});

test('ignores informational responses', async () => {
  const { answer, written, status, end } = played(NEVER);
  written();
  status(103);
  status(429);
  end();
  expect((await answer).status).toBe(429);
});
