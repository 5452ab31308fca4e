import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test, vi } from 'vitest';
import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { createStoredUpdates, type StoredUpdates } from '../../src/telegram/update-queue.ts';
import { recordingLog } from '../support/log-lines.ts';
import { textUpdate } from '../support/updates.ts';

const KEY = 'demo-key-4f9aK2mQ7xT1bV8nZ3cD';
const DAY_MS = 24 * 60 * 60_000;

let storage: Storage;
let clock: { ms: number };
let lines: ReturnType<typeof recordingLog>;
let storedUpdates: StoredUpdates;

beforeEach(() => {
  clock = { ms: 1_700_000_000_000 };
  storage = createMemoryStorage({ now: () => clock.ms });
  lines = recordingLog();
  storedUpdates = open();
});

function open(key: Uint8Array = new Uint8Array(32)): StoredUpdates {
  return createStoredUpdates({ storage, seal: createSeal([key]), log: lines.log, now: () => clock.ms });
}

test('returns stored updates in order to the next process until they are removed', async () => {
  for (const id of [10, 9, 11]) await storedUpdates.store(textUpdate(id, 501));
  await storedUpdates.store(textUpdate(10, 501));
  expect(await open().all()).toEqual([9, 10, 11].map((id) => textUpdate(id, 501)));
  await storedUpdates.remove(textUpdate(10, 501));
  await storedUpdates.remove(textUpdate(10, 501));
  expect((await open().all()).map(({ update_id }) => update_id)).toEqual([9, 11]);
  expect(lines.texts).toEqual([]);
});

test('encrypts the message of a stored updates, because it may contain an API key', async () => {
  const written = vi.spyOn(storage, 'set');
  await storedUpdates.store(textUpdate(1, 501, KEY));
  expect(JSON.stringify(written.mock.calls)).not.toContain(KEY);
  expect(JSON.stringify(written.mock.calls)).not.toContain('Guest');
});

test('ignores forged and moved records and logs each once', async () => {
  await storedUpdates.store(textUpdate(1, 501, 'mine'));
  const sealed = (await storage.get('update:1')) ?? '';
  await storage.set('update:2', sealed);
  await storage.index.put('stored-updates', '2/501', 2);
  await storage.set('update:3', JSON.stringify({ storedAt: clock.ms, update: textUpdate(3, 501) }));
  await storage.index.put('stored-updates', '3/501', 3);
  expect((await storedUpdates.all()).map(({ update_id }) => update_id)).toEqual([1]);
  await storedUpdates.all();
  expect(lines.lines()).toMatchObject([2, 3].map((update) => ({ level: 'error', update, chat: 501 })));
});

test('ignores an update that was encrypted with an unknown key', async () => {
  await open(randomBytes(32)).store(textUpdate(1, 501));
  await storedUpdates.store(textUpdate(2, 501));
  expect((await storedUpdates.all()).map(({ update_id }) => update_id)).toEqual([2]);
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
