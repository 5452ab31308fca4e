import fc from 'fast-check';
import type { Update } from 'grammy/types';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPolling, type Receive, type StoredUpdates } from '../../src/telegram/updates.ts';
import { eventually } from '../support/eventually.ts';
import { heldReceive } from '../support/held-receive.ts';
import { recordingLog } from '../support/log-lines.ts';
import { oddUpdates } from '../support/odd-updates.ts';
import { createPauses } from '../support/pauses.ts';
import { memoryStoredUpdates } from '../support/stored-updates.ts';
import { type StubAnswer, startTelegramStub, type TelegramStub } from '../support/telegram-stub.ts';
import { textUpdate } from '../support/updates.ts';

let stub: TelegramStub;
let pauses: ReturnType<typeof createPauses>;
let lines: ReturnType<typeof recordingLog>;
let polling: ReturnType<typeof createPolling> | undefined;
let storedUpdates: StoredUpdates;
let dropped: number[];
let used: string | undefined;
let clock: number;
let foreign: (string | undefined)[];

beforeEach(async () => {
  stub = await startTelegramStub();
  pauses = createPauses();
  lines = recordingLog();
  storedUpdates = memoryStoredUpdates();
  dropped = [];
  used = undefined;
  clock = 0;
  foreign = [];
});

afterEach(async () => {
  pauses.skip(() => true);
  await polling?.stop();
  polling = undefined;
  await stub.close();
});

function start(receive: Receive) {
  const onDropped = ({ update_id: id }: Update) => void dropped.push(id);
  polling = createPolling({
    api: stub.api,
    receive,
    storedUpdates,
    onDropped,
    webhookUse: {
      url: async () => used,
      isForeign: async (url) => url !== 'https://former.example/hook',
      recordForeignChange: async (url) => void foreign.push(url),
    },
    log: lines.log,
    now: () => clock,
    sleep: pauses.sleep,
  });
  polling.start();
  return polling;
}

const done: Receive = async () => ({ kind: 'done' });

describe('polling', () => {
  test('searches for a webhook first and requests only the update types that the bot handles', async () => {
    start(done);
    await stub.polled();
    expect(stub.calls.map(({ method }) => method)).toEqual(['getWebhookInfo', 'getUpdates']);
    expect(stub.callsOf('getUpdates')[0]?.params).toEqual({
      timeout: 30,
      limit: 100,
      allowed_updates: ['message', 'edited_message', 'callback_query', 'my_chat_member'],
    });
  });

  test('handles updates from before it started and confirms them with the next poll', async () => {
    stub.push(textUpdate(10, 501), textUpdate(11, 501));
    const receive = vi.fn(done);
    start(receive);
    await stub.polled();
    expect(receive.mock.calls.map(([update]) => update.update_id)).toEqual([10, 11]);
    expect(stub.callsOf('getUpdates').at(-1)?.params.offset).toBe(12);
    expect(stub.unconfirmed()).toEqual([]);
  });

  test('stores and confirms slow updates and continues with other chats', async () => {
    const { begun, receive, end } = heldReceive();
    stub.push(textUpdate(1, 501), textUpdate(2, 502));
    start(receive);
    await end(2);
    await pauses.end(50);
    await stub.polled();
    expect(stub.callsOf('getUpdates').at(-1)?.params).toMatchObject({ offset: 3, timeout: 30 });
    expect(stub.unconfirmed()).toEqual([]);
    stub.push(textUpdate(3, 503));
    await end(3);
    await stub.polled();
    await end(1);
    expect(begun).toEqual([1, 2, 3]);
  });

  test('handles stored updates of a previous process before new ones', async () => {
    const first = heldReceive();
    stub.push(textUpdate(1, 501), textUpdate(2, 501));
    const { stop } = start(first.receive);
    await pauses.end(50);
    await stub.polled();
    const stopped = stop();
    await pauses.end(10_000);
    await stopped;
    expect(stub.unconfirmed()).toEqual([]);

    stub.push(textUpdate(3, 501));
    const receive = vi.fn(done);
    start(receive);
    await stub.polled();
    expect(receive.mock.calls.map(([{ update_id: id }]) => id)).toEqual([1, 2, 3]);
    expect(await storedUpdates.all()).toEqual([]);
    await first.end(1);
  });

  test('confirms nothing from a slow update on while the storage fails, and handles other chats', async () => {
    storedUpdates.store = () => Promise.reject(new Error('away'));
    const { begun, receive, end } = heldReceive();
    stub.push(textUpdate(1, 501), textUpdate(2, 502));
    start(receive);
    await end(2);
    stub.push(textUpdate(3, 503));
    await pauses.end(50);
    await eventually(() => expect(begun).toEqual([1, 2, 3]));
    expect(stub.callsOf('getUpdates').at(-1)?.params).toMatchObject({ offset: 1, timeout: 0 });
    expect(stub.unconfirmed()).toEqual([1, 2, 3]);
    await end(3);
    await end(1);
    await stub.polled();
    expect(stub.unconfirmed()).toEqual([]);
    expect(begun).toEqual([1, 2, 3]);
  });
});

describe('ids that restart lower', () => {
  const [HIGH, LOW] = [727_334_701, 117_314_199];

  /** Starts polling and returns the ids of handled updates. */
  function startRecording() {
    const handled: number[] = [];
    start(async ({ update_id: id }) => {
      handled.push(id);
      return { kind: 'done' };
    });
    return handled;
  }

  test('are handled once and confirmed, with few calls and across a restart of the process', async () => {
    const first = startRecording();
    stub.push(textUpdate(HIGH, 501), textUpdate(HIGH + 1, 502));
    await stub.polled();
    stub.push(textUpdate(LOW, 501), textUpdate(LOW + 1, 502));
    await eventually(() => expect(stub.unconfirmed()).toEqual([]));
    await polling?.stop();
    const second = startRecording();
    await stub.polled();
    stub.push(textUpdate(HIGH - 100, 502));
    await eventually(() => expect(stub.unconfirmed()).toEqual([]));
    stub.push(textUpdate(LOW - 100, 501));
    await eventually(() => expect(stub.unconfirmed()).toEqual([]));
    expect(first).toEqual([HIGH, HIGH + 1, LOW, LOW + 1]);
    expect(second).toEqual([HIGH - 100, LOW - 100]);
    expect(stub.callsOf('getUpdates').length).toBeLessThan(12);
    expect(lines.texts).toEqual([]);
  });

  test('confirm nothing of a slow update from before', async () => {
    storedUpdates.store = () => Promise.reject(new Error('away'));
    pauses.skip((ms) => ms < 10_000);
    const { begun, receive, end } = heldReceive();
    start(receive);
    stub.push(textUpdate(HIGH, 501));
    await eventually(() => expect(begun).toEqual([HIGH]));
    stub.push(textUpdate(LOW, 502));
    await end(LOW);
    await eventually(() => expect(stub.unconfirmed()).toEqual([HIGH]));
    await end(HIGH);
    await eventually(() => expect(pauses.asked).toContain(2_000));
    expect(begun).toEqual([HIGH, LOW]);
  });

  test('within a response are polled with growing delays and one warning, and other chats are served', async () => {
    const handled = startRecording();
    stub.push(...[HIGH, LOW, HIGH + 1, LOW + 1].map((id, at) => textUpdate(id, 501 + at)));
    for (const ms of [250, 500, 1_000]) await pauses.end(ms);
    stub.push(textUpdate(LOW + 2, 505));
    await eventually(() => expect(handled).toEqual([HIGH, LOW, HIGH + 1, LOW + 1, LOW + 2]));
    for (const ms of [250, 500, 1_000, 2_000, 2_000]) await pauses.end(ms);
    expect(stub.callsOf('getUpdates').length).toBeLessThan(18);
    const msg = 'Telegram returns confirmed updates again: polling more slowly';
    expect(lines.lines()).toMatchObject([{ msg }, { msg }]);
    expect(handled).toHaveLength(5);
  });
});

describe('an update whose optional fields are missing', () => {
  const from = { id: 501, is_bot: false, first_name: 'Guest' };
  const message = { message_id: 7, date: 0, chat: { id: 501, type: 'private', first_name: 'Guest' } };
  const inline_keyboard = [
    [{ text: 'Copy the address', copy_text: { text: 'an address' } }],
    [
      { text: 'Share', url: 'https://t.me/share/url' },
      { text: 'Check payment', callback_data: 'invoice:check' },
    ],
  ];
  const tap = { id: 'tap', from, chat_instance: 'chat', data: 'invoice:check' };

  const card = { ...message, from, text: 'card', reply_markup: { inline_keyboard } };
  const entities = [
    { type: 'bold', offset: 0, length: 4 },
    { type: 'text_link', offset: 5, length: 4, url: 'https://example.org/' },
  ];
  test.each([
    ['a tap below buttons that copy a text or open a link', { callback_query: { ...tap, message: card } }],
    ['a tap on a message that Telegram no longer shows', { callback_query: { ...tap, message } }],
    ['a message without an author or a text', { message }],
    ['a text with bold and linked words', { message: { ...message, from, text: 'bold link', entities } }],
  ])('is handled: %s', async (_what, content) => {
    const receive = vi.fn(done);
    const update = { update_id: 1, ...content } as Update;
    stub.push(update);
    start(receive);
    await stub.polled();
    expect(receive.mock.calls).toEqual([[update]]);
  });
});

describe('an update that can not be read', () => {
  const UNREADABLE = [
    { update_id: 3, message: {} },
    { update_id: 4 },
    { update_id: 5, poll: { id: 'secret' } },
    { update_id: 6, message: 'secret' },
    { update_id: 7, callback_query: { id: 8, from: { id: 501 } } },
  ];

  test('is logged once without its content and confirmed, and others are handled', async () => {
    const receive = vi.fn(done);
    const withoutId = ['secret', null, { message: textUpdate(1, 501).message }];
    stub.plan('getUpdates', { result: [textUpdate(1, 501), ...withoutId, textUpdate(2, 501)] });
    stub.push(...(UNREADABLE as Update[]), textUpdate(9, 501));
    start(receive);
    await stub.polled();
    expect(receive.mock.calls.map(([{ update_id: id }]) => id)).toEqual([1, 2, 9]);
    expect(stub.unconfirmed()).toEqual([]);
    const ids = lines.lines().map(({ update, msg }) => [update, msg]);
    const msg = "an update can't be read and is dropped";
    expect(ids).toEqual([undefined, undefined, undefined, 3, 4, 5, 6, 7].map((id) => [id, msg]));
    expect(lines.texts.join()).not.toContain('secret');
  });

  test('does not end the process or stop a chat, whatever its type and values', async () => {
    const handled = new Set<number>();
    start(async ({ update_id: id }) => {
      handled.add(id);
      return { kind: 'done' };
    });
    let id = 1_000;
    await fc.assert(
      fc.asyncProperty(oddUpdates, async (odd) => {
        id += 2;
        stub.push({ update_id: id - 1, ...odd } as Update, textUpdate(id, 501));
        await eventually(() => expect(handled).toContain(id));
      }),
      { numRuns: 100, seed: 20_261_126, endOnFailure: true },
    );
    await stub.polled();
    expect(stub.unconfirmed()).toEqual([]);
  });
});

describe('a response that is too large', () => {
  const MB = 1_000_000;
  const large = (id: number, size: number) => textUpdate(id, 501 + id, 'x'.repeat(size));
  const limits = () => stub.callsOf('getUpdates').map(({ params }) => params.limit);

  test('is requested with half the limit, which grows again afterwards', async () => {
    const receive = vi.fn(done);
    for (let id = 1; id <= 12; id++) stub.push(large(id, MB));
    start(receive);
    await stub.polled();
    expect(receive.mock.calls.map(([{ update_id: id }]) => id)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
    ]);
    expect(limits()).toEqual([100, 50, 25, 12, 6, 12, 24]);
    expect(stub.unconfirmed()).toEqual([]);
  });

  test('because of a single update drops this one and handles others', async () => {
    const receive = vi.fn(done);
    stub.push(textUpdate(1, 501), large(2, 9 * MB), textUpdate(3, 501));
    start(receive);
    await stub.polled();
    expect(receive.mock.calls.map(([{ update_id: id }]) => id)).toEqual([1, 3]);
    expect(limits()).toEqual([100, 50, 25, 12, 6, 3, 1, 2, 1, 1, 2]);
    expect(lines.lines()).toContainEqual(expect.objectContaining({ level: 'error', update: 2 }));
  });
});

describe('while Telegram is unavailable', () => {
  test('retries with delays of up to thirty seconds, which restart after a response', async () => {
    stub.plan('getUpdates', 'cut', 7);
    start(done);
    for (const ms of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) await pauses.end(ms);
    await stub.polled();
    stub.plan('getUpdates', { status: 502, text: 'Bad Gateway' });
    stub.push(textUpdate(1, 501));
    await pauses.end(1000);
    await stub.polled();
    expect(lines.lines()).toHaveLength(8);
    expect(lines.lines()[0]).toMatchObject({
      level: 'warn',
      reason: 'the other side closed the connection (UND_ERR_SOCKET)',
      ms: 1000,
    });
  });

  test.each<[retryAfter: unknown, ms: number]>([
    [9, 9_000],
    [900, 30_000],
    [1e9, 30_000],
    ['900', 30_000],
    ['soon', 1_000],
    [-900, 1_000],
    [null, 1_000],
  ])('tries again within a minute after a 429 that asks for %j seconds', async (retryAfter, ms) => {
    const parameters = { retry_after: retryAfter };
    for (const method of ['getWebhookInfo', 'getUpdates'])
      stub.plan(method, { error: 429, description: 'Too Many Requests', parameters });
    start(done);
    await pauses.end(ms);
    await pauses.end(ms);
    await stub.polled();
    expect(pauses.asked).toEqual([ms, ms]);
    expect(lines.lines()).toMatchObject([
      { method: 'getWebhookInfo', ms },
      { method: 'getUpdates', ms },
    ]);
  });

  test.each<[string, StubAnswer]>([
    ['no JSON', { status: 200, text: '<html>' }],
    ['no list', { result: { update_id: 1 } }],
    ['no result', { status: 200, text: '{"ok":true}' }],
    ['null', { result: null }],
  ])('retries after a response with %s', async (_, answer) => {
    stub.plan('getUpdates', answer);
    stub.push(textUpdate(1, 501));
    start(done);
    await pauses.end(1_000);
    await stub.polled();
    expect(stub.unconfirmed()).toEqual([]);
  });

  test.each([
    ['another program', 'https://other.example/hook', { level: 'warn' }, ['https://other.example/hook']],
    [
      "this bot's former PUBLIC_URL",
      'https://former.example/hook',
      { level: 'info', msg: expect.stringContaining('its former webhook') },
      [],
    ],
  ])(
    'removes the webhook of %s before the first poll, and names it in the log',
    async (_, url, line, recorded) => {
      stub.plan('getWebhookInfo', { result: { url } });
      stub.plan('deleteWebhook', 'cut');
      start(done);
      await pauses.end(1000);
      await stub.polled();
      const methods = ['getWebhookInfo', 'deleteWebhook', 'deleteWebhook', 'getUpdates'];
      expect(stub.calls.map(({ method }) => method)).toEqual(methods);
      expect(lines.lines()[0]).toMatchObject({ ...line, reason: url });
      expect(foreign).toEqual(recorded);
    },
  );

  test('leaves the webhook to replicas on the same storage until they have stopped', async () => {
    used = 'https://bot.example/updates/telegram';
    stub.plan('getWebhookInfo', { result: { url: used } }, 3);
    const { problem } = start(done);
    await pauses.end(10_000);
    // The second search has ended, too.
    await eventually(() => expect(pauses.asked).toEqual([10_000, 10_000]));
    expect([problem(), stub.callsOf('deleteWebhook')]).toEqual(['replicas-use-webhook', []]);
    used = undefined;
    await pauses.end(10_000);
    await stub.polled();
    expect(stub.callsOf('deleteWebhook')).toHaveLength(1);
    expect(problem()).toBeUndefined();
  });

  test('waits for replicas that set a webhook while it polls, without advice, and polls once they have stopped', async () => {
    const { problem } = start(done);
    await stub.polled();
    used = 'https://bot.example/updates/telegram';
    const description = 'Conflict: terminated by setWebhook request';
    stub.plan('getUpdates', { error: 409, description });
    stub.plan('getWebhookInfo', { result: { url: used } }, 3);
    stub.push(textUpdate(1, 501));
    await pauses.end(10_000);
    await eventually(() => expect(pauses.asked.filter((ms) => ms === 10_000)).toHaveLength(2));
    expect([problem(), stub.callsOf('deleteWebhook')]).toEqual(['replicas-use-webhook', []]);
    used = undefined;
    await pauses.end(10_000);
    await eventually(() => expect(stub.unconfirmed()).toEqual([]));
    expect(stub.callsOf('deleteWebhook')).toHaveLength(1);
    expect(problem()).toBeUndefined();
    expect(lines.lines().map(({ level }) => level)).not.toContain('error');
  });

  test('tells the webhook of another program from another poller', async () => {
    const conflict = (description: string) =>
      stub.plan('getUpdates', { error: 409, description: `Conflict: ${description}` });
    conflict('terminated by setWebhook request');
    conflict(
      "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
    conflict('terminated by other getUpdates request; make sure that only one bot instance is running');
    const { problem } = start(done);
    for (const [waitMs, expected] of [
      [1_000, 'webhook-set'],
      [2_000, 'webhook-set'],
      [4_000, 'another-poller'],
    ] as const) {
      await eventually(() => expect(pauses.asked.at(-1)).toBe(waitMs));
      expect(problem()).toBe(expected);
      await pauses.end(waitMs);
    }
  });

  test('polls at once after the webhook of another program is removed', async () => {
    const description = "Conflict: can't use getUpdates method while webhook is active";
    stub.plan('getUpdates', { error: 409, description });
    const { retryNow } = start(done);
    await eventually(() => expect(pauses.asked).toEqual([1_000]));
    retryNow();
    await stub.polled();
    expect(pauses.lasting()).toBe(0);
  });

  test('knows no other poller only after three minutes without a failed poll', async () => {
    let id = 0;
    const succeed = async (ms: number) => {
      clock += ms;
      await stub.polled();
      id += 1;
      stub.push(textUpdate(id, 501));
      await eventually(() => expect(stub.callsOf('getUpdates').at(-1)?.params.offset).toBe(id + 1));
    };
    const fail = async (answer: StubAnswer) => {
      stub.plan('getUpdates', answer);
      await succeed(0);
      await pauses.end(1_000);
    };
    const conflict = { error: 409, description: 'Conflict: terminated by other getUpdates request' };
    const { problem } = start(done);
    await succeed(0);
    expect(problem()).toBe('unknown');
    await succeed(180_000);
    expect(problem()).toBeUndefined();
    for (const answer of [conflict, conflict, 'cut'] as const) {
      await fail(answer);
      await succeed(1_000);
      await succeed(179_000);
      expect(problem()).toBe('another-poller');
    }
    await succeed(1_000);
    expect(problem()).toBeUndefined();
  });

  const TAKEN = 'something else takes the updates of this bot, trying again';

  test.each([
    [409, 'Conflict: terminated by other getUpdates request', TAKEN, 'the other process or installation'],
    [409, 'Conflict: terminated by setWebhook request', TAKEN, 'at most once an hour'],
    [401, 'Unauthorized', 'Telegram refuses the token, trying again', 'BOT_TOKEN'],
  ])('logs a refusal with %i (%s) and advice, and retries', async (error, description, msg, advised) => {
    stub.plan('getUpdates', { error, description });
    start(done);
    await pauses.end(1000);
    await stub.polled();
    const advice = expect.stringContaining(advised);
    expect(lines.lines()).toMatchObject([{ level: 'error', reason: description, msg, advice }]);
  });
});

describe('stopping', () => {
  test('ends the long poll at once', async () => {
    const { stop } = start(done);
    await stub.polled();
    await stop();
    expect(stub.callsOf('getUpdates')).toHaveLength(1);
  });

  test('ends a retry delay at once', async () => {
    stub.plan('getUpdates', 'cut');
    const { stop } = start(done);
    await eventually(() => expect(pauses.asked).toEqual([1000]));
    await stop();
  });

  test('waits for running handlers, starts none, and confirms what is done', async () => {
    const { begun, receive, end } = heldReceive();
    stub.push(textUpdate(1, 501), textUpdate(2, 502), textUpdate(3, 502));
    const { stop } = start(receive);
    await eventually(() => expect(begun).toEqual([1, 2]));
    const stopped = stop();
    await end(1);
    await end(2);
    await stopped;
    expect(begun).toEqual([1, 2]);
    expect(stub.callsOf('getUpdates').at(-1)?.params).toMatchObject({ offset: 3, timeout: 0, limit: 1 });
    expect(stub.unconfirmed()).toEqual([3]);
  });

  test('waits for a handler for at most ten seconds', async () => {
    const { begun, receive, end } = heldReceive();
    stub.push(textUpdate(1, 501));
    const { stop } = start(receive);
    await eventually(() => expect(begun).toEqual([1]));
    const stopped = stop();
    await pauses.end(10_000);
    await stopped;
    expect(stub.unconfirmed()).toEqual([1]);
    expect(lines.lines()).toMatchObject([{ level: 'warn', ms: 10_000 }]);
    await end(1);
  });

  test('logs that the last updates could not be confirmed', async () => {
    stub.push(textUpdate(1, 501));
    const { stop } = start(done);
    await stub.polled();
    stub.plan('getUpdates', 'cut');
    await stop();
    expect(lines.lines()).toMatchObject([{ level: 'warn', err: { name: 'HttpError' } }]);
  });
});
