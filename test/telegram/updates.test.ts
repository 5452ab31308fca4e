import { randomBytes } from 'node:crypto';
import type { Update } from 'grammy/types';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DAY_MS } from '../../src/platform/clock.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import {
  chatOf,
  createStoredUpdates,
  createUpdateQueue,
  createWebhookUpdates,
  type Receive,
  type StoredUpdates,
} from '../../src/telegram/updates.ts';
import { eventually } from '../support/eventually.ts';
import { heldReceive } from '../support/held-receive.ts';
import { recordingLog } from '../support/log-lines.ts';
import { createPauses } from '../support/pauses.ts';
import { recordProcessWarnings } from '../support/process-warnings.ts';
import { createSignal } from '../support/signal.ts';
import { textUpdate } from '../support/updates.ts';

const KEY = 'demo-key-4f9aK2mQ7xT1bV8nZ3cD';

let storage: ReturnType<typeof createMemoryStorage>;
let clock: { ms: number };
let pauses: ReturnType<typeof createPauses>;
let lines: ReturnType<typeof recordingLog>;
let stopping: AbortController;
let storedUpdates: StoredUpdates;
let dropped: number[];

beforeEach(() => {
  clock = { ms: 1_700_000_000_000 };
  storage = createMemoryStorage({ now: () => clock.ms });
  pauses = createPauses();
  lines = recordingLog();
  stopping = new AbortController();
  storedUpdates = openStore();
  dropped = [];
});

function openStore(key: Uint8Array = new Uint8Array(32)): StoredUpdates {
  return createStoredUpdates({ storage, seal: createSeal([key]), log: lines.log, now: () => clock.ms });
}

const onDropped = ({ update_id: id }: Update) => void dropped.push(id);

/** Opens a queue whose handler completes an update when `end` is called, unless another handler is given. */
function openQueue(handler?: Receive) {
  const { begun, receive, end } = heldReceive();
  const queue = createUpdateQueue({
    ...{ receive: handler ?? receive, storedUpdates, onDropped, log: lines.log },
    signal: stopping.signal,
    sleep: pauses.sleep,
  });
  return { begun, end, queue };
}

const storedIds = async () => (await storedUpdates.all()).map(({ update_id }) => update_id);

describe('an update is assigned', () => {
  const from = { id: 501, is_bot: false, first_name: 'Guest' };
  const chat = { id: -1001, type: 'supergroup' as const, title: 'Demo group' };
  const message = { message_id: 1, date: 0, chat, from, text: 'x' };
  const tap = { id: '1', from, chat_instance: '' };
  const member = { user: from, status: 'member' as const };
  const membership = { chat, from, date: 0, old_chat_member: member, new_chat_member: member };

  test.each<[string, Omit<Update, 'update_id'>, number | undefined]>([
    ['the chat of a message', { message }, -1001],
    ['the chat of an edited message', { edited_message: { ...message, edit_date: 1 } }, -1001],
    ['the chat of a tap', { callback_query: { ...tap, message } }, -1001],
    ['the user of a tap without its message', { callback_query: tap }, 501],
    ['the chat of a change of membership', { my_chat_member: membership }, -1001],
    ['no chat', {}, undefined],
  ])('to %s', (_, update, expected) => {
    expect(chatOf({ update_id: 1, ...update })).toBe(expected);
  });
});

describe('the store of updates', () => {
  test('returns stored updates in order to the next process until they are removed', async () => {
    for (const id of [10, 9, 11]) await storedUpdates.store(textUpdate(id, 501));
    await storedUpdates.store(textUpdate(10, 501));
    expect(await openStore().all()).toEqual([9, 10, 11].map((id) => textUpdate(id, 501)));
    await storedUpdates.remove(textUpdate(10, 501));
    await storedUpdates.remove(textUpdate(10, 501));
    expect((await openStore().all()).map(({ update_id }) => update_id)).toEqual([9, 11]);
    expect(lines.texts).toEqual([]);
  });

  test('encrypts the message of a stored update, because it may contain an API key', async () => {
    const written = vi.spyOn(storage, 'set');
    await storedUpdates.store(textUpdate(1, 501, KEY));
    expect(JSON.stringify(written.mock.calls)).not.toContain(KEY);
    expect(JSON.stringify(written.mock.calls)).not.toContain('Guest');
  });

  test('ignores forged, moved and unreadable records and logs each once', async () => {
    await storedUpdates.store(textUpdate(1, 501, 'mine'));
    const sealed = (await storage.get('update:1')) ?? '';
    await storage.set('update:2', sealed);
    await storage.index.put('stored-updates', '2/501', 2);
    const { message } = textUpdate(4, 501);
    await storedUpdates.store({ update_id: 4, message: { ...message, text: 7 } } as unknown as Update);
    await storage.set('update:3', JSON.stringify({ storedAt: clock.ms, update: textUpdate(3, 501) }));
    await storage.index.put('stored-updates', '3/501', 3);
    expect(await storedIds()).toEqual([1]);
    await storedUpdates.all();
    expect(lines.lines()).toMatchObject([2, 3, 4].map((update) => ({ level: 'warn', update })));
  });

  test('ignores an update that was encrypted with an unknown key', async () => {
    await openStore(randomBytes(32)).store(textUpdate(1, 501));
    await storedUpdates.store(textUpdate(2, 501));
    expect(await storedIds()).toEqual([2]);
  });

  test('ignores an update after a day, even if its record is restored', async () => {
    await storedUpdates.store(textUpdate(1, 501));
    const sealed = (await storage.get('update:1')) ?? '';
    clock.ms += DAY_MS - 1;
    expect(await storedUpdates.all()).toHaveLength(1);
    clock.ms += 1;
    await storage.set('update:1', sealed);
    expect(await storedUpdates.all()).toEqual([]);
  });
});

test('handles different chats concurrently and each chat in order', async () => {
  const { begun, end, queue } = openQueue();
  queue.enqueue([textUpdate(1, 501), textUpdate(2, 501), textUpdate(3, 502)]);
  await eventually(() => expect(begun).toEqual([1, 3]));
  await end(1);
  await eventually(() => expect(begun).toEqual([1, 3, 2]));
  await end(2);
  await end(3);
  await queue.whenIdle();
});

test('does not accept an update again that is present or settled', async () => {
  const { begun, end, queue } = openQueue();
  queue.enqueue([textUpdate(1, 501), textUpdate(2, 502), textUpdate(3, 503)]);
  await end(3);
  await end(1);
  await eventually(() => expect(queue.nextOffset()).toBe(2));
  queue.enqueue([textUpdate(2, 502), textUpdate(3, 503), textUpdate(4, 503)]);
  await end(4);
  await end(2);
  await queue.whenIdle();
  expect(begun).toEqual([1, 2, 3, 4]);
});

test('returns the lowest unsettled update as the next offset', async () => {
  const { end, queue } = openQueue();
  expect(queue.nextOffset()).toBeUndefined();
  queue.enqueue([textUpdate(5, 501), textUpdate(6, 502), textUpdate(9, 503)]);
  await end(6);
  expect(queue.nextOffset()).toBe(5);
  await end(5);
  await eventually(() => expect(queue.nextOffset()).toBe(9));
  await end(9);
  await queue.whenIdle();
  expect(queue.nextOffset()).toBe(10);
  queue.enqueue([]);
  expect(queue.nextOffset()).toBeUndefined();
});

test('treats a repeated id as another update once Telegram has returned a list without it', async () => {
  const receive = vi.fn<Receive>(async () => ({ kind: 'done' }));
  const { queue } = openQueue(receive);
  queue.enqueue([textUpdate(1, 501), textUpdate(2, 501)]);
  await queue.whenIdle();
  expect(queue.enqueue([textUpdate(1, 501)])).toBe(false);
  await queue.whenIdle();
  expect(receive).toHaveBeenCalledTimes(2);
  queue.enqueue([]);
  queue.enqueue([textUpdate(1, 501)]);
  await queue.whenIdle();
  expect(receive.mock.calls.map(([update]) => update.update_id)).toEqual([1, 2, 1]);
});

test('waits for running handlers when stopped, and counts them as settled', async () => {
  const { begun, end, queue } = openQueue();
  queue.enqueue([textUpdate(1, 501), textUpdate(2, 502)]);
  await eventually(() => expect(begun).toEqual([1, 2]));
  stopping.abort();
  const idle = vi.fn();
  const waiting = queue.whenIdle().then(idle);
  await end(2);
  await new Promise(setImmediate);
  expect(idle).not.toHaveBeenCalled();
  await end(1);
  await waiting;
  expect(queue.nextOffset()).toBe(3);
});

test('keeps at most five updates of a chat, and drops and confirms others', async () => {
  const { begun, end, queue } = openQueue();
  const flood = Array.from({ length: 100 }, (_, at) => textUpdate(at + 1, 501));
  queue.enqueue([...flood, textUpdate(101, 502)]);
  await eventually(() => expect(begun).toEqual([1, 101]));
  queue.enqueue(flood);
  expect(dropped).toEqual(flood.slice(5).map(({ update_id }) => update_id));
  await end(1);
  await eventually(() => expect(begun).toEqual([1, 101, 2]));
  queue.enqueue([textUpdate(102, 501), textUpdate(103, 501)]);
  expect(dropped.slice(95)).toEqual([103]);
  for (const id of [2, 3, 4, 5, 101, 102]) await end(id);
  await queue.whenIdle();
  expect(queue.nextOffset()).toBe(104);
});

describe('a stored update', () => {
  test('is confirmed before it settles and removed afterwards', async () => {
    const { end, queue } = openQueue();
    queue.enqueue([textUpdate(1, 501), textUpdate(2, 501), textUpdate(3, 502)]);
    await end(3);
    await eventually(() => expect(queue.nextOffset()).toBe(1));
    expect(queue.hasUnstored()).toBe(true);
    await queue.storeOpen();
    expect(queue.nextOffset()).toBe(4);
    expect(queue.hasUnstored()).toBe(false);
    await queue.whenConfirmable();
    expect(await storedIds()).toEqual([1, 2]);
    await end(1);
    await eventually(async () => expect(await storedIds()).toEqual([2]));
    await end(2);
    await queue.whenIdle();
    expect(await storedIds()).toEqual([]);
  });

  /** Makes the store of updates wait until `write` is called. */
  function holdStore() {
    const { raised: mayWrite, raise: write } = createSignal();
    const { store: keep } = storedUpdates;
    const store = vi.fn((update: Update) => mayWrite.then(() => keep(update)));
    storedUpdates.store = store;
    return { store, write };
  }

  test('is stored once, and removed even if it settles while being stored', async () => {
    const { store, write } = holdStore();
    const { end, queue } = openQueue();
    queue.enqueue([textUpdate(1, 501)]);
    const keeping = [queue.storeOpen(), queue.storeOpen()];
    await end(1);
    await queue.whenConfirmable();
    write();
    await Promise.all(keeping);
    await queue.whenIdle();
    expect(store).toHaveBeenCalledTimes(1);
    expect(await storedIds()).toEqual([]);
  });

  test('is not confirmed while the storage fails, which is logged once', async () => {
    const { receive } = heldReceive();
    const { store: keep } = storedUpdates;
    storedUpdates.store = () => Promise.reject(new Error('away'));
    const { queue } = openQueue(receive);
    queue.enqueue([textUpdate(1, 501), textUpdate(2, 502)]);
    for (let time = 0; time < 3; time++) await queue.storeOpen();
    expect(queue.nextOffset()).toBe(1);
    expect(lines.lines()).toMatchObject([{ level: 'warn', err: { message: 'away' } }]);
    storedUpdates.store = keep;
    await queue.storeOpen();
    expect(queue.nextOffset()).toBe(3);
  });

  test('is one of at most a thousand, and more are confirmed only as some settle', async () => {
    const { write } = holdStore();
    const { end, queue } = openQueue();
    queue.enqueue(Array.from({ length: 1_010 }, (_, at) => textUpdate(at + 1, at)));
    const keeping = [queue.storeOpen(), queue.storeOpen()];
    write();
    await Promise.all(keeping);
    expect(queue.nextOffset()).toBe(1_001);
    await end(1);
    await eventually(async () => {
      await queue.storeOpen();
      expect(queue.nextOffset()).toBe(1_002);
    });
  });

  test('from an earlier process is handled once, before new ones of its chat', async () => {
    for (const id of [5, 7]) await storedUpdates.store(textUpdate(id, 501));
    const { begun, end, queue } = openQueue();
    await queue.enqueueStored();
    expect(queue.nextOffset()).toBeUndefined();
    queue.enqueue([textUpdate(6, 502), textUpdate(7, 501), textUpdate(8, 501)]);
    expect(queue.nextOffset()).toBe(6);
    await queue.enqueueStored();
    for (const id of [5, 7, 8, 6]) await end(id);
    await queue.whenIdle();
    expect(begun).toEqual([5, 6, 7, 8]);
    expect(await storedIds()).toEqual([]);
    expect(queue.nextOffset()).toBe(9);
  });

  test('from an earlier process is loaded as soon as the storage recovers', async () => {
    await storedUpdates.store(textUpdate(5, 501));
    const { all } = storedUpdates;
    storedUpdates.all = () => Promise.reject(new Error('away'));
    const { begun, end, queue } = openQueue();
    await queue.enqueueStored();
    expect(begun).toEqual([]);
    storedUpdates.all = all;
    await queue.enqueueStored();
    await end(5);
    await queue.whenIdle();
  });

  test('is removed later if removing it failed', async () => {
    await storedUpdates.store(textUpdate(5, 501));
    const { remove: forget } = storedUpdates;
    storedUpdates.remove = () => Promise.reject(new Error('away'));
    const { queue } = openQueue(async () => ({ kind: 'done' }));
    await queue.enqueueStored();
    await queue.whenIdle();
    expect(await storedIds()).toEqual([5]);
    storedUpdates.remove = forget;
    await queue.storeOpen();
    expect(await storedIds()).toEqual([]);
  });

  test('remains stored if it is left unhandled when stopping', async () => {
    const { queue } = openQueue(async () => ({ kind: 'busy' }));
    queue.enqueue([textUpdate(1, 501), textUpdate(2, 501)]);
    await queue.storeOpen();
    await eventually(() => expect(pauses.asked).toEqual([250]));
    stopping.abort();
    await queue.whenIdle();
    expect(await storedIds()).toEqual([1, 2]);
    expect(queue.nextOffset()).toBe(3);
  });
});

describe('an update', () => {
  test.each(['failed', 'busy'] as const)(
    'is retried with growing delays while it is %s, and later ones of its chat wait',
    async (kind) => {
      pauses.skip(() => true);
      const waits = [250, 500, 1000, 2000, 4000, 8000, 8000, 8000];
      let tries = 0;
      const receive = vi.fn<Receive>(async () => ({ kind: tries++ < waits.length ? kind : 'done' }));
      const { queue } = openQueue(receive);
      queue.enqueue([textUpdate(1, 501), textUpdate(2, 501)]);
      await queue.whenIdle();
      expect(pauses.asked).toEqual(waits);
      expect(receive.mock.calls.map(([update]) => update.update_id)).toEqual([...waits.map(() => 1), 1, 2]);
      expect(queue.nextOffset()).toBe(3);
    },
  );

  test('waits for its retry without a warning about listeners while many others do', async () => {
    const warnings = recordProcessWarnings();
    const receive = vi.fn<Receive>(async () => ({ kind: 'busy' }));
    // With the real sleep, which listens to the signal.
    const queue = createUpdateQueue({
      ...{ receive, storedUpdates, onDropped, log: lines.log },
      signal: stopping.signal,
    });
    queue.enqueue(Array.from({ length: 20 }, (_, at) => textUpdate(at + 1, 501 + at)));
    await eventually(() => expect(receive.mock.calls.length).toBeGreaterThanOrEqual(20));
    stopping.abort();
    await queue.whenIdle();
    expect(await warnings()).toEqual([]);
  });

  test('waits as long as Telegram requests', async () => {
    pauses.skip(() => true);
    const receive = vi.fn<Receive>(async () => ({ kind: 'done' }));
    receive.mockResolvedValueOnce({ kind: 'failed', afterMs: 9_000 });
    const { queue } = openQueue(receive);
    queue.enqueue([textUpdate(1, 501)]);
    await queue.whenIdle();
    expect(pauses.asked).toEqual([9_000]);
  });

  test('counts as failed if its handler throws', async () => {
    const receive = vi.fn<Receive>(async () => ({ kind: 'done' }));
    receive.mockRejectedValueOnce(new Error('redis is away'));
    const { queue } = openQueue(receive);
    queue.enqueue([textUpdate(1, 501)]);
    await pauses.end(250);
    await queue.whenIdle();
    expect(receive).toHaveBeenCalledTimes(2);
    expect(lines.lines()).toMatchObject([{ level: 'error', update: 1, err: { message: 'redis is away' } }]);
  });

  test('is left unhandled when stopping if it waits for a retry or for another update', async () => {
    const receive = vi.fn<Receive>(async () => ({ kind: 'busy' }));
    const { queue } = openQueue(receive);
    queue.enqueue([textUpdate(1, 501), textUpdate(2, 501)]);
    await eventually(() => expect(pauses.asked).toEqual([250]));
    stopping.abort();
    await queue.whenIdle();
    expect(receive).toHaveBeenCalledTimes(1);
    expect(queue.nextOffset()).toBe(1);
    expect(lines.texts).toEqual([]);
  });
});

describe('updates from the webhook', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function openWebhook(handler?: Receive) {
    const held = heldReceive();
    const receive = handler ?? held.receive;
    const updates = createWebhookUpdates({ receive, storedUpdates, onDropped, log: lines.log });
    return { ...held, push: updates.receive, handleStored: updates.handleStored };
  }

  /** Makes the time pass after which open updates are stored. */
  const untilStored = () => vi.advanceTimersByTimeAsync(400);

  test('handles at most five updates of a chat at once and drops others as done', async () => {
    const { push, begun } = openWebhook();
    for (let id = 1; id <= 5; id++) void push(textUpdate(id, 501));
    expect(await push(textUpdate(6, 501))).toEqual({ kind: 'done' });
    expect(begun).toEqual([1, 2, 3, 4, 5]);
    expect(dropped).toEqual([6]);
  });

  test('continues with other chats, and with the same one once an update settles', async () => {
    const { push, begun, end } = openWebhook();
    const first = [1, 2, 3, 4, 5].map((id) => push(textUpdate(id, 501)));
    void push(textUpdate(6, 502));
    await end(1);
    await first[0];
    void push(textUpdate(7, 501));
    await end(2, 'failed');
    expect(await first[1]).toEqual({ kind: 'failed' });
    void push(textUpdate(2, 501));
    expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7, 2]);
    expect(dropped).toEqual([]);
  });

  test('neither repeats nor drops an update that is sent again while it is handled', async () => {
    const { push, begun } = openWebhook();
    for (let id = 1; id <= 5; id++) void push(textUpdate(id, 501));
    expect(await push(textUpdate(3, 501))).toEqual({ kind: 'busy' });
    expect(begun).toHaveLength(5);
    expect(dropped).toEqual([]);
  });

  test('stores slow updates and responds, so that they hold no connections', async () => {
    const { push, end } = openWebhook();
    const answers = Array.from({ length: 200 }, (_, at) => push(textUpdate(at + 1, 1_000 + at)));
    await untilStored();
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 200 }, () => ({ kind: 'done' })));
    expect(await storedUpdates.all()).toHaveLength(200);
    for (let id = 1; id <= 200; id++) await end(id);
    await eventually(async () => expect(await storedUpdates.all()).toEqual([]));
  });

  test('responds to a slow update once it settles if it cannot be stored', async () => {
    storage.set = () => Promise.reject(new Error('away'));
    const { push, end } = openWebhook();
    const answer = push(textUpdate(1, 501));
    await untilStored();
    await end(1, 'failed');
    expect(await answer).toEqual({ kind: 'failed' });
  });

  test.each(['failed', 'busy'] as const)(
    'handles a stored update again after it %s, until it is done',
    async (kind) => {
      const { push, end, begun, handleStored } = openWebhook();
      const answer = push(textUpdate(1, 501));
      await untilStored();
      await answer;
      // This process is already handling the update.
      await handleStored();
      expect(begun).toEqual([1]);
      await end(1, kind);
      await vi.advanceTimersByTimeAsync(0);
      const again = handleStored();
      await eventually(() => expect(begun).toEqual([1, 1]));
      await end(1);
      await again;
      expect(await storedUpdates.all()).toEqual([]);
    },
  );

  test('handles updates that another process stored and did not settle', async () => {
    const answer = openWebhook().push(textUpdate(1, 501));
    await untilStored();
    await answer;
    const second = openWebhook();
    const handled = second.handleStored();
    await second.end(1);
    await handled;
    expect(await storedUpdates.all()).toEqual([]);
  });

  test('does not count a handler that threw as running', async () => {
    const { push } = openWebhook(() => Promise.reject(new Error('no')));
    for (let id = 1; id <= 10; id++) await expect(push(textUpdate(id, 501))).rejects.toThrow('no');
  });
});
