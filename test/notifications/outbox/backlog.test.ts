import { expect, test } from 'vitest';
import { createOutboxStore } from '../../../src/notifications/outbox-store.ts';
import { MINUTE_MS } from '../../../src/platform/clock.ts';
import { createMemoryStorage } from '../../../src/platform/memory-storage.ts';
import type { StorageIndex } from '../../../src/platform/storage.ts';
import { START } from '../../operations/operations-setup.ts';
import { signedRecords } from '../../support/records.ts';

function openOutbox() {
  const clock = { now: START };
  const now = () => clock.now;
  const memory = createMemoryStorage({ now });
  const reads = { count: 0 };
  const counted = <T extends unknown[], R>(read: (...args: T) => R) => {
    return (...args: T): R => {
      reads.count += 1;
      return read(...args);
    };
  };
  const index: StorageIndex = { ...memory.index, upTo: counted(memory.index.upTo) };
  const storage = { ...memory, index, get: counted(memory.get) };
  const records = signedRecords(storage);
  const store = createOutboxStore({ storage, records });
  const add = (chat: number, id: string, topic: 'money' | 'other' = 'other') =>
    store.add(chat, {
      kind: 'event',
      id,
      isMoney: topic === 'money',
      data: {},
      queuedAt: clock.now,
      failedAttempts: 0,
    });
  const deliver = async (chat: number) => {
    await store.chatQueues.beginDelivery(chat);
    await store.chatQueues.endDelivery(chat);
  };
  return { clock, store, deliver, add, reads, readBacklog: () => store.readBacklog(now()) };
}

test('is empty once everything was sent', async () => {
  const { store, deliver, add, readBacklog } = openOutbox();
  expect(await readBacklog()).toEqual({ chats: 0, isMore: false, oldestMs: undefined });
  await add(1, 'a');
  const [one] = await store.pending(1, 1);
  await store.markDelivered(1, [one?.name ?? '']);
  await deliver(1);
  expect(await readBacklog()).toEqual({ chats: 0, isMore: false, oldestMs: undefined });
});

test('counts each chat once and returns the longest wait of all', async () => {
  const { clock, add, readBacklog } = openOutbox();
  await add(1, 'a');
  clock.now += 3 * MINUTE_MS;
  await add(1, 'b', 'money');
  await add(2, 'a', 'money');
  await add(3, 'a');
  clock.now += MINUTE_MS;
  expect(await readBacklog()).toMatchObject({ chats: 3, isMore: false });
  await add(4, 'a');
  const other = openOutbox();
  await other.add(1, 'a');
  other.clock.now += 4 * MINUTE_MS;
  await other.add(2, 'a', 'money');
  expect(await other.readBacklog()).toEqual({ chats: 2, isMore: false, oldestMs: 4 * MINUTE_MS });
});

test('includes quarantined notifications and their age', async () => {
  const { clock, store, deliver, add, readBacklog } = openOutbox();
  await add(1, 'a');
  const [one] = await store.pending(1, 1);
  await store.quarantine(1, one?.name ?? '');
  await deliver(1);
  clock.now += 20 * MINUTE_MS;
  await add(2, 'a');
  expect(await readBacklog()).toEqual({ chats: 2, isMore: false, oldestMs: 20 * MINUTE_MS });
});

test('stops counting at a hundred chats, with few reads', async () => {
  const { clock, add, reads, readBacklog } = openOutbox();
  for (let chat = 1; chat <= 100; chat += 1) await add(chat, 'a');
  expect(await readBacklog()).toMatchObject({ chats: 100, isMore: false });
  await add(101, 'a');
  expect(await readBacklog()).toMatchObject({ chats: 100, isMore: true });
  for (let chat = 1; chat <= 100; chat += 1) await add(chat, 'b', 'money');
  clock.now += MINUTE_MS;
  for (let chat = 102; chat <= 500; chat += 1) await add(chat, 'a');
  reads.count = 0;
  expect(await readBacklog()).toEqual({ chats: 100, isMore: true, oldestMs: MINUTE_MS });
  expect(reads.count).toBeLessThan(50);
});
