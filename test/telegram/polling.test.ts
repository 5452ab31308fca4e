import type { Update } from 'grammy/types';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPolling, type Receive, type StoredUpdates } from '../../src/telegram/updates.ts';
import { eventually } from '../support/eventually.ts';
import { heldReceive } from '../support/held-receive.ts';
import { recordingLog } from '../support/log-lines.ts';
import { createPauses } from '../support/pauses.ts';
import { memoryStoredUpdates } from '../support/stored-updates.ts';
import { startTelegramStub, type TelegramStub } from '../support/telegram-stub.ts';
import { textUpdate } from '../support/updates.ts';

let stub: TelegramStub;
let pauses: ReturnType<typeof createPauses>;
let lines: ReturnType<typeof recordingLog>;
let polling: ReturnType<typeof createPolling> | undefined;
let storedUpdates: StoredUpdates;
let dropped: number[];

beforeEach(async () => {
  stub = await startTelegramStub();
  pauses = createPauses();
  lines = recordingLog();
  storedUpdates = memoryStoredUpdates();
  dropped = [];
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
    log: lines.log,
    sleep: pauses.sleep,
  });
  polling.start();
  return polling;
}

const done: Receive = async () => ({ kind: 'done' });

describe('polling', () => {
  test('removes the webhook first and requests only the update types that the bot handles', async () => {
    start(done);
    await stub.polled();
    expect(stub.calls.map(({ method }) => method)).toEqual(['deleteWebhook', 'getUpdates']);
    expect(stub.callsOf('getUpdates')[0]?.params).toEqual({
      timeout: 30,
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
    expect(lines.lines()[0]).toMatchObject({ level: 'warn', reason: 'UND_ERR_SOCKET', ms: 1000 });
  });

  test('waits as long as Telegram requests', async () => {
    const parameters = { retry_after: 9 };
    stub.plan('getUpdates', { error: 429, description: 'Too Many Requests', parameters });
    start(done);
    await pauses.end(9000);
    await stub.polled();
  });

  test('removes the webhook before the first poll', async () => {
    stub.plan('deleteWebhook', 'cut');
    start(done);
    await pauses.end(1000);
    await stub.polled();
    expect(stub.calls.map(({ method }) => method)).toEqual(['deleteWebhook', 'deleteWebhook', 'getUpdates']);
  });

  test.each([
    [
      409,
      'Conflict: terminated by other getUpdates request',
      'something else takes the updates of this bot, trying again',
    ],
    [401, 'Unauthorized', 'Telegram refused, trying again'],
  ])('logs a refusal with %i and retries', async (error, description, msg) => {
    stub.plan('getUpdates', { error, description });
    start(done);
    await pauses.end(1000);
    await stub.polled();
    expect(lines.lines()).toMatchObject([{ level: 'error', reason: description, msg }]);
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
