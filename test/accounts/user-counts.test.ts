import { expect, test } from 'vitest';
import { createLinks } from '../../src/accounts/links.ts';
import { MAX_USER_NUMBER } from '../../src/accounts/user-cells.ts';
import { createUserCounts } from '../../src/accounts/user-counts.ts';
import { createUsers } from '../../src/accounts/users.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { killedAfter } from '../support/killed.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { storedKeys } from '../support/stored-keys.ts';

/** Opens a process on a storage. */
function openProcess(storage: Storage, now: () => number) {
  const { log, lines } = recordingLog();
  const records = signedRecords(storage);
  const users = createUsers({ storage, records, now });
  const links = createLinks({ storage, records, seal: createSeal([Buffer.alloc(32, 7)]), now });
  const userCounts = createUserCounts({ storage, users, links, now, log });
  return {
    ...{ users, links, userCounts, count: userCounts.count, lines },
    recordUpdate: async (user: number, language: 'en' | 'ru' = 'en') =>
      users.recordActivity(user, language, await users.find(user)),
  };
}

async function openCounts() {
  const clock = { now: Date.UTC(2026, 10, 1, 12) };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const process = openProcess(storage, now);
  await process.userCounts.check();
  return { clock, now, storage, ...process };
}

const COUNTS = { isPartial: false, linked: 0, unreachable: 0, banned: 0 };

test('counts users by language, state and link, and per period as new and as active', async () => {
  const { recordUpdate, users, links, count, clock } = await openCounts();
  await recordUpdate(1);
  clock.now += 29 * DAY_MS;
  await recordUpdate(2, 'ru');
  clock.now += 6 * DAY_MS;
  await recordUpdate(3);
  await recordUpdate(1);
  await links.link(3, 1001, 'a-key', 'en');
  await users.setUnreachable(2, 'deactivated');
  await users.setBanned(1, true);
  expect(await count()).toEqual({
    ...{ isPartial: false, total: 3, linked: 1, unreachable: 1, banned: 1, languages: { en: 2, ru: 1 } },
    newUsers: { 1: 1, 7: 2, 30: 2 },
    activeUsers: { 1: 2, 7: 3, 30: 3 },
  });
  await links.unlink(3);
  await users.erase(3);
  await users.setLanguage(1, 'ru');
  expect(await count()).toMatchObject({ ...COUNTS, total: 2, unreachable: 1, banned: 1 });
  expect((await count()).languages).toEqual({ en: 0, ru: 2 });
});

test('counts a merchant, and the holder of a replaced link', async () => {
  const { recordUpdate, links, userCounts } = await openCounts();
  const kinds = async () => {
    const found: string[] = [];
    await userCounts.countEach(({ link }) => found.push(link));
    return found;
  };
  // The link may be stored before the update that brought the key.
  await links.link(1, 1001, 'a-key', 'en');
  await recordUpdate(1);
  expect(await kinds()).toEqual(['holder']);
  await links.link(1, 1002, 'other-key', 'en');
  expect(await kinds()).toEqual(['holder']);
  await links.setMerchant(1, true);
  expect(await kinds()).toEqual(['merchant']);
  await links.link(1, 1003, 'third-key', 'en');
  expect(await kinds()).toEqual(['merchant']);
});

test('has the counts of the records wherever a process is killed', async () => {
  const { now, storage: empty } = await openCounts();
  for (let calls = 0, isKilled = true; isKilled; calls += 1) {
    const storage = createMemoryStorage({ now });
    await openProcess(storage, now).userCounts.check();
    const victim = killedAfter(calls, storage);
    const { recordUpdate, users, links } = openProcess(victim.storage, now);
    const work = async () => {
      await recordUpdate(1);
      await links.link(1, 1001, 'a-key', 'en');
      await users.setBanned(1, true);
      await links.unlink(1);
      await users.setBanned(1, false);
      await users.erase(1);
    };
    await work().catch(() => undefined);
    isKilled = victim.wasKilled();
    const after = openProcess(storage, now);
    const user = await after.users.find(1);
    const linked = user && (await after.links.kindOf(1)) !== 'none' ? 1 : 0;
    const expected = { ...COUNTS, total: user ? 1 : 0, banned: user?.isBanned ? 1 : 0, linked };
    expect({ calls, counts: await after.count() }).toMatchObject({ calls, counts: expected });
  }
  expect(await storedKeys(empty, 'user:')).toEqual([]);
});

test('counts the users of an earlier release with the first check, and says until then that some are missing', async () => {
  const { now, storage, recordUpdate, links, count } = await openCounts();
  for (const user of [1, 2]) await recordUpdate(user);
  await links.link(2, 1001, 'a-key', 'en');
  for (const user of [1, 2])
    await storage.set(`user:{${user}}`, JSON.stringify({ firstDay: 1, lastDay: 2, language: 'ru' }));
  for (const key of ['user-cells:0', 'user-numbers', 'user-count-check']) await storage.delete(key);
  expect(await count()).toMatchObject({ isPartial: true, total: 0 });
  const next = openProcess(storage, now);
  await next.userCounts.check();
  expect(await next.count()).toMatchObject({ ...COUNTS, total: 2, linked: 1, languages: { en: 0, ru: 2 } });
});

test('corrects what was changed from outside once a day', async () => {
  const { clock, storage, recordUpdate, users, links, count, userCounts, lines } = await openCounts();
  for (const user of [1, 2, 3, 4]) await recordUpdate(user);
  await links.link(1, 1001, 'a-key', 'en');
  const expected = { ...(await count()), total: 3, languages: { en: 3, ru: 0 } };
  const cells = (await storage.get('user-cells:0')) ?? '';
  await storage.set('user-cells:0', `20zzzzzz2${cells.slice(9)}`);
  await storage.set('user-numbers', '1');
  // A user that was removed by hand, and one with the number of another user.
  await storage.delete('user:{4}');
  await storage.set('user:{3}', JSON.stringify({ ...(await users.find(2)), user: undefined }));
  await userCounts.check();
  expect(await count()).not.toEqual(expected);
  clock.now += DAY_MS;
  // The two users with one number get different ones with the first check, and an unused one with the next.
  for (let days = 0; days < 2; days += 1) {
    await userCounts.check();
    clock.now += DAY_MS;
  }
  expect(await count()).toMatchObject({ total: 3, linked: 1, languages: { en: 3, ru: 0 } });
  expect(lines().map(({ msg }) => msg)).toContain('users were counted anew');
  await storage.set('user-numbers', '1');
  await userCounts.check();
  await recordUpdate(5);
  expect((await count()).total).toBe(4);
});

test('empties the cell of a removed user, and leaves the cells around it and those of unlinked users alone', async () => {
  const { clock, storage, recordUpdate, links, userCounts, lines } = await openCounts();
  for (const user of [1, 2, 3]) await recordUpdate(user);
  await links.link(1, 1001, 'a-key', 'en');
  const [first = '', removed = '', last = ''] = (await storage.get('user-cells:0'))?.match(/.{1,9}/gs) ?? [];
  await storage.delete('user:{2}');
  for (let days = 0; days < 2; days += 1) {
    clock.now += DAY_MS;
    await userCounts.check();
  }
  expect(await storage.get('user-cells:0')).toBe(first + removed.replace(/./gs, '0') + last);
  expect(lines().map(({ count }) => count)).toEqual([1]);
});

test('counts users up to the highest number, and again after a forged number of the latest one', async () => {
  const { clock, storage, recordUpdate, count, userCounts } = await openCounts();
  await storage.set('user-numbers', String(MAX_USER_NUMBER - 1));
  await recordUpdate(1);
  expect((await count()).total).toBe(1);
  await storage.set('user-numbers', '1e9');
  await recordUpdate(2);
  expect((await count()).total).toBe(1);
  clock.now += DAY_MS;
  await userCounts.check();
  expect(await storage.get('user-numbers')).toBe(String(MAX_USER_NUMBER));
});

test('begins a stopped check anew', async () => {
  const { clock, now, storage, recordUpdate, userCounts, count } = await openCounts();
  await recordUpdate(1);
  clock.now += DAY_MS;
  userCounts.stop();
  const before = await storage.get('user-count-check');
  await userCounts.check();
  expect([await storage.get('user-count-check'), (await count()).total]).toEqual([before, 1]);
  await openProcess(storage, now).userCounts.check();
  expect(await storage.get('user-count-check')).toBe(String(now()));
});
