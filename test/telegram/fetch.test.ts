import { inspect } from 'node:util';
import { type Api, InputFile } from 'grammy';
import { Pool } from 'undici';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Call } from '../../src/platform/service-calls.ts';
import {
  createApi,
  createTelegramTransport,
  readFault,
  type TelegramTransport,
} from '../../src/telegram/fetch.ts';
import { eventually } from '../support/eventually.ts';
import { startHttpServer } from '../support/http-server.ts';
import { recordingLog } from '../support/log-lines.ts';
import { createPauses } from '../support/pauses.ts';
import { closedPort } from '../support/rental-server.ts';
import {
  badRequest,
  refusal,
  startTelegramStub,
  type TelegramStub,
  TOKEN,
  tooManyRequests,
} from '../support/telegram-stub.ts';

let stub: TelegramStub;
let telegram: TelegramTransport;
let pauses: ReturnType<typeof createPauses>;
let lines: ReturnType<typeof recordingLog>;
let api: Api;

beforeEach(async () => {
  stub = await startTelegramStub();
  pauses = createPauses();
  lines = recordingLog();
  use(stub.root);
});

afterEach(async () => {
  await stub.close();
  await telegram.close();
});

function use(apiRoot: string, connect?: (origin: string) => Pool): void {
  telegram = createTelegramTransport({ token: TOKEN, log: lines.log, apiRoot, sleep: pauses.sleep, connect });
  api = createApi(TOKEN, telegram.client);
}

type Signal = Parameters<Api['getMe']>[0];

/** Starts a call that can be aborted. */
function abortable(begin: (signal: Signal) => Promise<unknown>) {
  const call = new AbortController();
  // grammY's types require the signal of a polyfill.
  return { calling: begin(call.signal as Signal), abort: () => call.abort() };
}

const sayAbortably = (text: string) => abortable((signal) => api.sendMessage(501, text, {}, signal));

/** Starts a call that is aborted as soon as `begun` passes. */
async function abortedOnce(begun: () => void): Promise<unknown> {
  const { calling, abort } = sayAbortably('hello');
  const aborting = eventually(begun).finally(abort);
  const [sent] = await Promise.allSettled([calling, aborting]);
  await aborting;
  if (sent.status === 'rejected') throw sent.reason;
  return sent.value;
}

describe('a call', () => {
  test('is sent as JSON to the method’s URL and returns the result', async () => {
    stub.plan('getMe', { result: { id: 700, username: 'rental_demo_bot' } });
    await expect(api.getMe()).resolves.toMatchObject({ id: 700 });
    await api.sendMessage(501, 'hello');
    expect(stub.callsOf('sendMessage')).toMatchObject([{ params: { chat_id: 501, text: 'hello' } }]);
  });

  test('reuses connections', async () => {
    for (let count = 0; count < 6; count++) await api.sendMessage(501, 'again');
    const connections = new Set(stub.calls.map(({ connection }) => connection));
    expect(connections.size).toBeLessThan(3);
  });

  test('does not wait for a previous call', async () => {
    const poll = api.getUpdates({ timeout: 30 });
    await stub.polled();
    await api.sendMessage(501, 'meanwhile');
    stub.push({ update_id: 1 });
    await expect(poll).resolves.toHaveLength(1);
  });

  test('accepts a response of up to 8 megabytes and stops reading a longer one', async () => {
    const answer = (size: number) => ({ result: 'x'.repeat(size) });
    stub.plan('getMe', answer(7_000_000));
    await expect(api.getMe()).resolves.toHaveLength(7_000_000);
    stub.plan('getMe', answer(9_000_000));
    const fault = await api.getMe().then(() => undefined, readFault);
    expect(fault).toEqual({ kind: 'unreached', reason: 'ResponseTooLarge', written: true });
  });

  test.each([
    ['a web page', '<html>', '200 text/html'],
    ['JSON of another service', '{"message":"Not Found"}', '404 application/json'],
    ['no content', '', '204 without a media type'],
  ])('names the variable and what came instead, if TELEGRAM_API_ROOT leads to %s', async (_, body, got) => {
    await telegram.close();
    const [status, type] = got.split(' ', 2);
    const headers: Record<string, string> =
      type === 'without' ? {} : { 'content-type': `${type}; charset=utf-8` };
    const other = await startHttpServer(
      () => new Response(body || null, { status: Number(status), headers }),
    );
    onTestFinished(other.close);
    use(other.origin);
    const fault = await api.getMe().then(() => undefined, readFault);
    const reason = `TELEGRAM_API_ROOT: expected a response of the Bot API, got ${got}`;
    expect(fault).toEqual({ kind: 'unreached', reason, written: true, foreign: got });
  });

  test('uploads a file', async () => {
    await api.sendPhoto(501, new InputFile(Buffer.from('the bytes of a picture'), 'code.png'));
    const [call] = stub.callsOf('sendPhoto');
    expect(call?.contentType).toMatch(/^multipart\/form-data; boundary=/);
    expect(call?.body).toContain('the bytes of a picture');
    expect(call?.body).toContain('filename=code.png');
  });

  test('reports the error that Telegram returned', async () => {
    stub.plan('sendMessage', badRequest('chat not found'));
    await expect(api.sendMessage(1, 'hello')).rejects.toMatchObject({
      error_code: 400,
      description: 'Bad Request: chat not found',
    });
  });
});

describe('a 429', () => {
  test('is retried after a wait of up to three seconds', async () => {
    stub.plan('sendMessage', tooManyRequests(3));
    const sending = api.sendMessage(501, 'hello');
    await pauses.end(3000);
    await expect(sending).resolves.toMatchObject({ message_id: 1 });
    expect(stub.callsOf('sendMessage')).toHaveLength(2);
    expect(lines.lines()).toMatchObject([{ method: 'sendMessage', ms: 3000 }]);
  });

  test('is retried only once', async () => {
    stub.plan('sendMessage', tooManyRequests(1), 5);
    const sending = api.sendMessage(501, 'hello');
    await pauses.end(1000);
    await expect(sending).rejects.toMatchObject({ error_code: 429 });
    expect(stub.callsOf('sendMessage')).toHaveLength(2);
  });

  test.each([
    ['of more than three seconds', tooManyRequests(4)],
    ['without a delay', refusal(429, 'Too Many Requests')],
  ])('%s is passed on to the caller', async (_, answer) => {
    stub.plan('sendMessage', answer);
    await expect(api.sendMessage(501, 'hello')).rejects.toMatchObject({ error_code: 429 });
    expect(stub.callsOf('sendMessage')).toHaveLength(1);
    expect(pauses.asked).toEqual([]);
  });

  test('is passed on if the call was an upload, because its stream is used up', async () => {
    stub.plan('sendPhoto', tooManyRequests(1));
    await expect(api.sendPhoto(501, new InputFile(Buffer.from('x')))).rejects.toMatchObject({
      error_code: 429,
    });
    expect(pauses.asked).toEqual([]);
  });

  test('is passed on at once by the client for news', async () => {
    stub.plan('sendMessage', tooManyRequests(1));
    const news = createApi(TOKEN, telegram.notificationClient);
    await expect(news.sendMessage(501, 'hello')).rejects.toMatchObject({ error_code: 429 });
    expect(stub.callsOf('sendMessage')).toHaveLength(1);
    expect(pauses.asked).toEqual([]);
  });

  test('ends the wait when the call is aborted', async () => {
    stub.plan('sendMessage', tooManyRequests(3));
    await expect(abortedOnce(() => expect(pauses.lasting()).toBe(1))).rejects.toThrow();
    expect(pauses.lasting()).toBe(0);
    expect(pauses.asked).toEqual([3000]);
    expect(stub.callsOf('sendMessage')).toHaveLength(1);
  });
});

describe('a call without a response', () => {
  const planned = (answer: Parameters<TelegramStub['plan']>[1]) => {
    stub.plan('getMe', answer);
    return api.getMe();
  };
  const unconnected = async () => {
    use(await closedPort());
    return api.getMe();
  };
  const aborted = () => {
    stub.plan('sendMessage', 'silence');
    return abortedOnce(() => expect(stub.callsOf('sendMessage')).toHaveLength(1));
  };
  test.each<[string, () => Promise<unknown>]>([
    ['cannot connect', unconnected],
    ['is cut', () => planned('cut')],
    ['is aborted', aborted],
    ['gets an unreadable response', () => planned({ status: 502, text: '<html>' })],
  ])('fails without its token in the error: call that %s', async (_, fail) => {
    const error = await fail().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'HttpError' });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(TOKEN);
  });

  test('is not retried', async () => {
    stub.plan('sendMessage', 'cut');
    await expect(api.sendMessage(501, 'x')).rejects.toThrow();
    await api.getMe();
    expect(stub.callsOf('sendMessage')).toHaveLength(1);
  });
});

describe('an aborted call', () => {
  test('closes its connection', async () => {
    // The timeout is the longest possible, so that the call doesn't end by itself.
    const poll = abortable((signal) => api.getUpdates({ timeout: 30 }, signal));
    const refused = expect(poll.calling).rejects.toThrow();
    await stub.polled();
    expect(stub.abandoned).toEqual([]);
    poll.abort();
    await refused;
    await eventually(() => expect(stub.abandoned).toMatchObject([{ method: 'getUpdates' }]));
  });

  test('is not sent if it was still waiting for a connection', async () => {
    await telegram.close();
    use(stub.root, (origin) => new Pool(origin, { connections: 1 }));
    stub.plan('sendMessage', 'silence');
    const first = sayAbortably('the one before it');
    const refused = [expect(first.calling).rejects.toThrow()];
    await eventually(() => expect(stub.calls).toHaveLength(1));
    const waiting = sayAbortably('too late');
    refused.push(expect(waiting.calling).rejects.toThrow());
    waiting.abort();
    first.abort();
    await Promise.all(refused);
    await api.getMe();
    expect(stub.calls.map(({ method, params }) => params.text ?? method)).toEqual([
      'the one before it',
      'getMe',
    ]);
  });
});

test('reports the result of every call, without durations of polls, but not aborted calls', async () => {
  const noted: Call[] = [];
  const calls = { note: (call: Call) => noted.push(call) };
  const own = createTelegramTransport({
    ...{ token: TOKEN, log: lines.log, apiRoot: stub.root, calls, sleep: pauses.sleep },
  });
  const news = createApi(TOKEN, own.notificationClient);
  const replies = createApi(TOKEN, own.client);
  const send = (to: Api) => to.sendMessage(501, 'a secret').catch(() => undefined);
  await replies.getUpdates();
  await news.getMe();
  for (const status of [400, 403, 500, 401, 404]) {
    stub.plan('sendMessage', refusal(status, 'the token of the bot'));
    await send(replies);
  }
  stub.plan('sendMessage', tooManyRequests(2));
  const sending = send(replies);
  await pauses.end(2000);
  await sending;
  stub.plan('sendMessage', 'cut');
  await send(news);
  stub.plan('sendMessage', 'silence');
  const { calling, abort } = abortable((signal) => news.sendMessage(501, 'hello', {}, signal));
  await eventually(() => expect(stub.calls.at(-1)?.params.text).toBe('hello'));
  abort();
  await calling.catch(() => undefined);
  await own.close();
  const answered = { kind: 'answered', ms: expect.any(Number) };
  expect(noted.map(({ date, ...call }) => call)).toEqual([
    { kind: 'answered', ms: undefined },
    ...[answered, answered, answered],
    ...Array.from({ length: 3 }, () => ({
      ...{ kind: 'failed', endpoint: 'sendMessage', reason: expect.any(String) },
    })),
    { ...answered, kind: 'limited' },
    answered,
    {
      kind: 'failed',
      endpoint: 'sendMessage',
      reason: 'the other side closed the connection (UND_ERR_SOCKET)',
    },
  ]);
});
