import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDataWatch } from '../../src/operations/data-watch.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { recordingLog } from '../support/log-lines.ts';
import { failing } from './room.ts';

const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Replicas on one storage that can be emptied, or replaced by one that knows something else. */
function openWorld() {
  let storage = createMemoryStorage();
  const tell = vi.fn(async () => {});
  const { log, lines } = recordingLog();
  const view = (): Storage => ({
    ...storage,
    get: (key) => storage.get(key),
    add: (key, value, lifetime) => storage.add(key, value, lifetime),
    delete: (key) => storage.delete(key),
  });
  return {
    tell,
    errors: () => lines().filter(({ level }) => level === 'error'),
    view,
    replica: (own: Storage = view()) => createDataWatch({ storage: own, tell, log }),
    empty(): void {
      storage = createMemoryStorage();
    },
  };
}

test('an empty storage at the first start, and the same at the next, is no loss', async () => {
  const world = openWorld();
  expect(await world.replica().lost()).toBe(false);
  expect(await world.replica().lost()).toBe(false);
  world.empty();
  expect(await world.replica().lost()).toBe(false);
  expect(world.tell).not.toHaveBeenCalled();
  expect(world.errors()).toEqual([]);
});

test('data that is gone while the app runs is told once, and nothing is taken for five minutes', async () => {
  const world = openWorld();
  const replica = world.replica();
  expect(await replica.lost()).toBe(false);
  world.empty();
  expect(await replica.lost()).toBe(true);
  vi.advanceTimersByTime(5 * MINUTE - 1);
  expect(await replica.lost()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(await replica.lost()).toBe(false);
  expect(world.tell).toHaveBeenCalledOnce();
  expect(world.errors()).toHaveLength(1);
  world.empty();
  expect(await replica.lost()).toBe(true);
  expect(world.tell).toHaveBeenCalledTimes(2);
});

test('every replica takes nothing then, also one that starts on what was emptied; one of them tells', async () => {
  const world = openWorld();
  const replicas = [world.replica(), world.replica()];
  for (const replica of replicas) await replica.lost();
  world.empty();
  const started = world.replica();
  expect(await started.lost()).toBe(false);
  expect(await Promise.all(replicas.map((replica) => replica.lost()))).toEqual([true, true]);
  expect(await started.lost()).toBe(true);
  expect(world.tell).toHaveBeenCalledOnce();
});

test('a replica that notices late closes nothing again', async () => {
  const world = openWorld();
  const [replica, late] = [world.replica(), world.replica()];
  await Promise.all([replica.lost(), late.lost()]);
  world.empty();
  await replica.lost();
  vi.advanceTimersByTime(5 * MINUTE);
  expect(await late.lost()).toBe(false);
  expect(world.tell).toHaveBeenCalledOnce();
});

test('it is noticed within ten seconds though nobody buys', async () => {
  const world = openWorld();
  const replica = world.replica();
  replica.start();
  await vi.advanceTimersByTimeAsync(0);
  world.empty();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(world.tell).toHaveBeenCalledOnce();
  replica.stop();
  world.empty();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(world.tell).toHaveBeenCalledOnce();
});

test('what could not be told is told at the next look', async () => {
  const world = openWorld();
  const replica = world.replica();
  await replica.lost();
  world.empty();
  world.tell.mockRejectedValueOnce(new Error('the queue is away'));
  await expect(replica.lost()).rejects.toThrow('the queue is away');
  expect(await replica.lost()).toBe(true);
  expect(world.tell).toHaveBeenCalledTimes(2);
});

test('a storage that is away is no loss', async () => {
  const world = openWorld();
  let away = false;
  const replica = world.replica(failing(world.view(), () => away));
  await replica.lost();
  away = true;
  await expect(replica.lost()).rejects.toThrow('the storage is away');
  away = false;
  expect(await replica.lost()).toBe(false);
  expect(world.tell).not.toHaveBeenCalled();
});
