import { expect, test, vi } from 'vitest';
import { DAY_MS } from '../../src/platform/clock.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createUserKeys } from '../../src/platform/user-keys.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { storedKeys } from '../support/stored-keys.ts';

const KEYS = ['link:{501}', 'operation:{501}:7Q2K'];

/** Opens the keys of users on a storage with data of two users. */
async function openKeys() {
  const clock = { now: 1_000 };
  const storage = createMemoryStorage({ now: () => clock.now });
  const scans = vi.spyOn(storage, 'keysPage');
  const { log, lines } = recordingLog();
  const records = signedRecords(storage);
  const startRelease = (...patterns: string[]) =>
    createUserKeys({
      storage,
      records,
      log,
      data: patterns.map((keys) => ({ keys, content: '', expiry: '' })),
    });
  for (const key of [...KEYS, 'link:{5010}', 'operation:{5010}:7Q2K']) await storage.set(key, 'x');
  const check = (userKeys: ReturnType<typeof createUserKeys>) => userKeys.check(async () => undefined, false);
  return { clock, storage, scans, lines, startRelease, check };
}

const of = async (userKeys: ReturnType<typeof createUserKeys>) => (await userKeys.of(501)).toSorted();

test('finds the keys of a user without a scan once all keys were checked, and with one until then', async () => {
  const { scans, startRelease, check, storage, lines } = await openKeys();
  const userKeys = startRelease('link:{user}');
  await storage.delete('keys-of-user:{5010}');
  expect(await of(userKeys)).toEqual(KEYS);
  expect(await userKeys.isCheckDue()).toBe(true);
  await check(userKeys);
  expect(await userKeys.isCheckDue()).toBe(false);
  expect(lines()).toMatchObject([
    { level: 'info', msg: 'keys of users were added to their lists', count: 1 },
  ]);
  scans.mockClear();
  expect(await of(userKeys)).toEqual(KEYS);
  expect(scans).not.toHaveBeenCalled();
});

test('finds keys of a kind that a release no longer knows, and scans until that release has checked all keys', async () => {
  const { scans, startRelease, check } = await openKeys();
  await check(startRelease('link:{user}'));
  const next = startRelease('addresses:{user}');
  expect(await of(next)).toEqual(KEYS);
  expect(scans).toHaveBeenCalled();
  await check(next);
  scans.mockClear();
  expect(await of(next)).toEqual(KEYS);
  expect(scans).not.toHaveBeenCalled();
});

test('reports and repairs a list that lacks keys with the next daily check', async () => {
  const { clock, storage, lines, startRelease, check } = await openKeys();
  const userKeys = startRelease('link:{user}');
  await check(userKeys);
  await storage.index.remove('keys-of-user:{501}', 'operation:{}:7Q2K');
  await storage.index.put('keys-of-user:{501}', 'gone:{}:A', 0);
  expect(await of(userKeys)).toEqual(['link:{501}']);
  clock.now += DAY_MS;
  const marker = (await storage.get('key-check')) ?? '';
  await storage.set('key-check', marker.replace(/"at":\d+/, `"at":${clock.now}`));
  // A forged marker doesn't prevent the check.
  expect(await userKeys.isCheckDue()).toBe(true);
  await storage.set('key-check', marker);
  expect(await userKeys.isCheckDue()).toBe(true);
  // The keys are in their lists afterwards, so that no later check reports them.
  await expect(userKeys.check(() => Promise.reject(new Error('Redis is away')), false)).rejects.toThrow();
  await storage.index.remove('keys-of-user:{501}', 'operation:{}:7Q2K');
  await userKeys.check(async () => undefined, true);
  expect(lines().map(({ level, msg, count, kind }) => [level, msg, count, kind])).toEqual([
    ['error', 'keys of users were missing in their lists; they were added', 1, 'operation'],
    ['info', 'keys of users were added to their lists', 1, 'operation'],
  ]);
  await check(userKeys);
  expect(await of(userKeys)).toEqual(KEYS);
});

test('removes the names of expired keys with the daily check, and leaves no empty list', async () => {
  const { clock, storage, startRelease, check } = await openKeys();
  await storage.set('notification:{7}:A', 'x', { ttlMs: DAY_MS });
  clock.now += DAY_MS;
  await check(startRelease());
  expect(await storedKeys(storage, 'keys-of-user:{7}')).toEqual([]);
});

test('finds all keys of a user whose list was replaced by another value', async () => {
  const { storage, startRelease, check } = await openKeys();
  const userKeys = startRelease('link:{user}');
  await check(userKeys);
  await storage.set('keys-of-user:{501}', 'forged');
  for (let reads = 0; reads < 2; reads += 1) expect(await of(userKeys)).toEqual(KEYS);
});

test.each(['was stopped', 'began on another server'])('begins a check anew that %s', async (why) => {
  const { storage, startRelease } = await openKeys();
  await Promise.all(Array.from({ length: 1_500 }, (_, at) => storage.set(`user:{${at}}`, 'x')));
  const userKeys = startRelease('link:{user}');
  const isDone = await userKeys.check(async () => {
    if (why === 'was stopped') userKeys.stop();
    else storage.continuity = async () => ({ epoch: 'of another server', cause: 'restarted', ageMs: 0 });
  }, false);
  expect(isDone).toBe(false);
  expect(await userKeys.isCheckDue()).toBe(true);
});
