import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Receive, Received, StoredUpdates } from '../../src/telegram/update-queue.ts';
import { createUpdateQueue, type UpdateQueue } from '../../src/telegram/update-queue.ts';
import { eventually } from '../support/eventually.ts';
import { heldReceive } from '../support/held-receive.ts';
import { recordingLog } from '../support/log-lines.ts';
import { createPauses } from '../support/pauses.ts';
import { memoryStoredUpdates } from '../support/stored-updates.ts';
import { textUpdate } from '../support/updates.ts';

let pauses: ReturnType<typeof createPauses>;
let lines: ReturnType<typeof recordingLog>;
let stopping: AbortController;
let storedUpdates: StoredUpdates;
let dropped: number[];

beforeEach(() => {
  pauses = createPauses();
  lines = recordingLog();
  stopping = new AbortController();
  storedUpdates = memoryStoredUpdates();
  dropped = [];
});

function createInboxOf(receive: Receive): UpdateQueue {
  return createUpdateQueue({
    receive,
    storedUpdates,
    onDropped: ({ update_id: id }) => void dropped.push(id),
    log: lines.log,
    signal: stopping.signal,
    sleep: pauses.sleep,
  });
}

test('handles different chats concurrently and each chat in order', async () => {
  const { begun, receive, end } = heldReceive();
  const updateQueue = createInboxOf(receive);
  updateQueue.enqueue([textUpdate(1, 501), textUpdate(2, 501), textUpdate(3, 502)]);
  await eventually(() => expect(begun).toEqual([1, 3]));
  await end(1);
  await eventually(() => expect(begun).toEqual([1, 3, 2]));
  await end(2);
  await end(3);
  await updateQueue.whenIdle();
});

test('does not accept an update again that is present or settled', async () => {
  const { begun, receive, end } = heldReceive();
  const updateQueue = createInboxOf(receive);
  updateQueue.enqueue([textUpdate(1, 501), textUpdate(2, 502), textUpdate(3, 503)]);
  await end(3);
  await end(1);
  await eventually(() => expect(updateQueue.nextOffset()).toBe(2));
  updateQueue.enqueue([textUpdate(2, 502), textUpdate(3, 503), textUpdate(4, 503)]);
  await end(4);
  await end(2);
  await updateQueue.whenIdle();
  expect(begun).toEqual([1, 2, 3, 4]);
});

test('returns the lowest unsettled update as the next offset', async () => {
  const { receive, end } = heldReceive();
  const updateQueue = createInboxOf(receive);
  expect(updateQueue.nextOffset()).toBeUndefined();
  updateQueue.enqueue([textUpdate(5, 501), textUpdate(6, 502), textUpdate(9, 503)]);
  await end(6);
  expect(updateQueue.nextOffset()).toBe(5);
  await end(5);
  await eventually(() => expect(updateQueue.nextOffset()).toBe(9));
  await end(9);
  await updateQueue.whenIdle();
  expect(updateQueue.nextOffset()).toBe(10);
});

test('treats a repeated id after its confirmation as another update', async () => {
  const receive = vi.fn<Receive>(async () => ({ kind: 'done' }));
  const inbox = createInboxOf(receive);
  inbox.enqueue([textUpdate(1, 501), textUpdate(2, 501)]);
  await inbox.whenIdle();
  inbox.enqueue([textUpdate(1, 501)]);
  await inbox.whenIdle();
  expect(receive).toHaveBeenCalledTimes(2);
  expect(inbox.nextOffset()).toBe(3);
  inbox.enqueue([textUpdate(1, 501)]);
  await inbox.whenIdle();
  expect(receive.mock.calls.map(([update]) => update.update_id)).toEqual([1, 2, 1]);
});

test('waits for running handlers when stopped, and counts them as settled', async () => {
  const { begun, receive, end } = heldReceive();
  const inbox = createInboxOf(receive);
  inbox.enqueue([textUpdate(1, 501), textUpdate(2, 502)]);
  await eventually(() => expect(begun).toEqual([1, 2]));
  stopping.abort();
  const idle = vi.fn();
  const waiting = inbox.whenIdle().then(idle);
  await end(2);
  await new Promise(setImmediate);
  expect(idle).not.toHaveBeenCalled();
  await end(1);
  await waiting;
  expect(inbox.nextOffset()).toBe(3);
});

describe('a chat', () => {
  test('has at most five updates here, and others are dropped and confirmed', async () => {
    const { begun, receive, end } = heldReceive();
    const updateQueue = createInboxOf(receive);
    const flood = Array.from({ length: 100 }, (_, at) => textUpdate(at + 1, 501));
    updateQueue.enqueue([...flood, textUpdate(101, 502)]);
    await eventually(() => expect(begun).toEqual([1, 101]));
    updateQueue.enqueue(flood);
    expect(dropped).toEqual(flood.slice(5).map(({ update_id }) => update_id));
    await end(1);
    await eventually(() => expect(begun).toEqual([1, 101, 2]));
    updateQueue.enqueue([textUpdate(102, 501), textUpdate(103, 501)]);
    expect(dropped.slice(95)).toEqual([103]);
    for (const id of [2, 3, 4, 5, 101, 102]) await end(id);
    await updateQueue.whenIdle();
    expect(updateQueue.nextOffset()).toBe(104);
  });
});

describe('a stored update', () => {
  const idsOf = async () => (await storedUpdates.all()).map(({ update_id }) => update_id);

  test('is confirmed before it settles and removed afterwards', async () => {
    const { receive, end } = heldReceive();
    const updateQueue = createInboxOf(receive);
    updateQueue.enqueue([textUpdate(1, 501), textUpdate(2, 501), textUpdate(3, 502)]);
    await end(3);
    await eventually(() => expect(updateQueue.nextOffset()).toBe(1));
    expect(updateQueue.hasUnstored()).toBe(true);
    await updateQueue.storeOpen();
    expect(updateQueue.nextOffset()).toBe(4);
    expect(updateQueue.hasUnstored()).toBe(false);
    await updateQueue.whenConfirmable();
    expect(await idsOf()).toEqual([1, 2]);
    await end(1);
    await eventually(async () => expect(await idsOf()).toEqual([2]));
    await end(2);
    await updateQueue.whenIdle();
    expect(await idsOf()).toEqual([]);
  });

  test('is removed even if it settles while being stored', async () => {
    const { receive, end } = heldReceive();
    let write = () => {};
    const { store: keep } = storedUpdates;
    storedUpdates.store = async (update) => {
      await new Promise<void>((resolve) => {
        write = resolve;
      });
      await keep(update);
    };
    const updateQueue = createInboxOf(receive);
    updateQueue.enqueue([textUpdate(1, 501)]);
    const keeping = updateQueue.storeOpen();
    await end(1);
    await updateQueue.whenConfirmable();
    await eventually(() => write());
    await keeping;
    await updateQueue.whenIdle();
    expect(await idsOf()).toEqual([]);
  });

  test('is not confirmed while the storage fails, which is logged once', async () => {
    const { receive } = heldReceive();
    const { store: keep } = storedUpdates;
    storedUpdates.store = () => Promise.reject(new Error('away'));
    const updateQueue = createInboxOf(receive);
    updateQueue.enqueue([textUpdate(1, 501), textUpdate(2, 502)]);
    for (let time = 0; time < 3; time++) await updateQueue.storeOpen();
    expect(updateQueue.nextOffset()).toBe(1);
    expect(lines.lines()).toMatchObject([{ level: 'warn', err: { message: 'away' } }]);
    storedUpdates.store = keep;
    await updateQueue.storeOpen();
    expect(updateQueue.nextOffset()).toBe(3);
  });

  test('is one of at most a thousand, and more are confirmed only as some settle', async () => {
    const { receive, end } = heldReceive();
    const updateQueue = createInboxOf(receive);
    updateQueue.enqueue(Array.from({ length: 1_010 }, (_, at) => textUpdate(at + 1, at)));
    await updateQueue.storeOpen();
    expect(updateQueue.nextOffset()).toBe(1_001);
    await end(1);
    await eventually(async () => {
      await updateQueue.storeOpen();
      expect(updateQueue.nextOffset()).toBe(1_002);
    });
  });

  test('from an earlier process is handled once, before new ones of its chat', async () => {
    for (const id of [5, 7]) await storedUpdates.store(textUpdate(id, 501));
    const { begun, receive, end } = heldReceive();
    const updateQueue = createInboxOf(receive);
    await updateQueue.enqueueStored();
    expect(updateQueue.nextOffset()).toBeUndefined();
    updateQueue.enqueue([textUpdate(6, 502), textUpdate(7, 501), textUpdate(8, 501)]);
    expect(updateQueue.nextOffset()).toBe(6);
    await updateQueue.enqueueStored();
    for (const id of [5, 7, 8, 6]) await end(id);
    await updateQueue.whenIdle();
    expect(begun).toEqual([5, 6, 7, 8]);
    expect(await idsOf()).toEqual([]);
    expect(updateQueue.nextOffset()).toBe(9);
  });

  test('from an earlier process is loaded as soon as the storage recovers', async () => {
    await storedUpdates.store(textUpdate(5, 501));
    const { all } = storedUpdates;
    storedUpdates.all = () => Promise.reject(new Error('away'));
    const { begun, receive, end } = heldReceive();
    const updateQueue = createInboxOf(receive);
    await updateQueue.enqueueStored();
    expect(begun).toEqual([]);
    storedUpdates.all = all;
    await updateQueue.enqueueStored();
    await end(5);
    await updateQueue.whenIdle();
  });

  test('is removed later if removing it failed', async () => {
    await storedUpdates.store(textUpdate(5, 501));
    const { remove: forget } = storedUpdates;
    storedUpdates.remove = () => Promise.reject(new Error('away'));
    const updateQueue = createInboxOf(async () => ({ kind: 'done' }));
    await updateQueue.enqueueStored();
    await updateQueue.whenIdle();
    expect(await idsOf()).toEqual([5]);
    storedUpdates.remove = forget;
    await updateQueue.storeOpen();
    expect(await idsOf()).toEqual([]);
  });

  test('remains stored if it is left unhandled when stopping', async () => {
    const updateQueue = createInboxOf(async () => ({ kind: 'busy' }));
    updateQueue.enqueue([textUpdate(1, 501), textUpdate(2, 501)]);
    await updateQueue.storeOpen();
    await eventually(() => expect(pauses.asked).toEqual([250]));
    stopping.abort();
    await updateQueue.whenIdle();
    expect(await idsOf()).toEqual([1, 2]);
    expect(updateQueue.nextOffset()).toBe(3);
  });
});

describe('an update', () => {
  test.each<Exclude<Received['kind'], 'done'>>(['failed', 'busy'])(
    'that is %s is retried with growing delays, and later ones of its chat wait',
    async (kind) => {
      pauses.skip(() => true);
      const waits = [250, 500, 1000, 2000, 4000, 8000, 8000, 8000];
      let tries = 0;
      const receive = vi.fn<Receive>(async () => ({ kind: tries++ < waits.length ? kind : 'done' }));
      const updateQueue = createInboxOf(receive);
      updateQueue.enqueue([textUpdate(1, 501), textUpdate(2, 501)]);
      await updateQueue.whenIdle();
      expect(pauses.asked).toEqual(waits);
      expect(receive.mock.calls.map(([update]) => update.update_id)).toEqual([...waits.map(() => 1), 1, 2]);
      expect(updateQueue.nextOffset()).toBe(3);
    },
  );

  test('waits as long as Telegram requests', async () => {
    pauses.skip(() => true);
    const receive = vi.fn<Receive>(async () => ({ kind: 'done' }));
    receive.mockResolvedValueOnce({ kind: 'failed', afterMs: 9_000 });
    const updateQueue = createInboxOf(receive);
    updateQueue.enqueue([textUpdate(1, 501)]);
    await updateQueue.whenIdle();
    expect(pauses.asked).toEqual([9_000]);
  });

  test('counts as failed if its handler throws', async () => {
    const receive = vi.fn<Receive>(async () => ({ kind: 'done' }));
    receive.mockRejectedValueOnce(new Error('redis is away'));
    const updateQueue = createInboxOf(receive);
    updateQueue.enqueue([textUpdate(1, 501)]);
    await pauses.end(250);
    await updateQueue.whenIdle();
    expect(receive).toHaveBeenCalledTimes(2);
    expect(lines.lines()).toMatchObject([{ level: 'error', update: 1, err: { message: 'redis is away' } }]);
  });

  test('is left unhandled when stopping if it waits for a retry or for another update', async () => {
    const receive = vi.fn<Receive>(async () => ({ kind: 'busy' }));
    const updateQueue = createInboxOf(receive);
    updateQueue.enqueue([textUpdate(1, 501), textUpdate(2, 501)]);
    await eventually(() => expect(pauses.asked).toEqual([250]));
    stopping.abort();
    await updateQueue.whenIdle();
    expect(receive).toHaveBeenCalledTimes(1);
    expect(updateQueue.nextOffset()).toBe(1);
    expect(lines.texts).toEqual([]);
  });
});
