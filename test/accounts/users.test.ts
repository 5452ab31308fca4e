import { expect, test } from 'vitest';
import { createLinks } from '../../src/accounts/links.ts';
import { createCountUsers, createUsers, dayAt } from '../../src/accounts/users.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { signedRecords } from '../support/records.ts';

const DAY = 24 * 3600_000;
const START = Date.UTC(2026, 10, 1, 12);

function openPeople() {
  const clock = { now: START };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  let writes = 0;
  const counting =
    <T extends unknown[], R>(run: (...given: T) => R) =>
    (...given: T): R => {
      writes += 1;
      return run(...given);
    };
  const users = createUsers({
    storage,
    records: signedRecords({ ...storage, add: counting(storage.add), replace: counting(storage.replace) }),
    now,
  });
  const links = createLinks({
    ...{ storage, records: signedRecords(storage), now },
    seal: createSeal([Buffer.alloc(32, 7)]),
  });
  const meet = async (user: number, language: 'en' | 'ru' = 'en') =>
    users.recordActivity(user, language, await users.find(user));
  return {
    clock,
    storage,
    users,
    links,
    meet,
    writes: () => writes,
    count: createCountUsers({ users, links, now }),
  };
}

test('stores only the first day, the last day and the language of a user', async () => {
  const { users, meet, clock, storage } = openPeople();
  expect(await users.find(7)).toBeUndefined();
  await meet(7);
  clock.now += 3 * DAY;
  await meet(7, 'ru');
  const firstDay = dayAt(START);
  expect(await users.find(7)).toEqual({ user: 7, firstDay, lastDay: firstDay + 3, language: 'ru' });
  expect(await storage.get('user:{7}')).toBe(
    JSON.stringify({ firstDay, lastDay: firstDay + 3, language: 'ru' }),
  );
});

test('writes once a day for a user, unless the language changed', async () => {
  const { meet, clock, writes } = openPeople();
  await meet(7);
  clock.now += DAY / 4;
  await meet(7);
  expect(writes()).toBe(1);
  await meet(7, 'ru');
  expect(writes()).toBe(2);
  clock.now += DAY / 2;
  await meet(7, 'ru');
  expect(writes()).toBe(3);
});

test('marks a user who blocked the bot as unreachable until the next update', async () => {
  const { users, meet } = openPeople();
  await users.setUnreachable(7, 'blocked');
  expect(await users.find(7)).toBeUndefined();
  await meet(7);
  await users.setUnreachable(7, 'blocked');
  expect((await users.find(7))?.unreachable).toBe('blocked');
  await meet(7);
  expect((await users.find(7))?.unreachable).toBeUndefined();
});

test('returns each user once, page by page, in the order of their IDs', async () => {
  const { users, meet } = openPeople();
  for (const user of [7_000_000_000, 5, 12, 900]) await meet(user);
  const one = await users.page(0, 3);
  expect([one.users.map(({ user }) => user), one.last]).toEqual([[5, 12, 900], 900]);
  const other = await users.page(900, 3);
  expect([other.users.map(({ user }) => user), other.last]).toEqual([[7_000_000_000], undefined]);
});

test('removes an erased user, who counts as new on return', async () => {
  const { users, meet, clock, storage } = openPeople();
  await meet(7);
  await users.erase(7);
  expect(await users.page(0, 9)).toEqual({ users: [], last: undefined });
  expect(await storage.keys('')).toEqual([]);
  clock.now += 2 * DAY;
  await meet(7);
  expect((await users.find(7))?.firstDay).toBe(dayAt(clock.now));
});

test('skips an unreadable record and replaces it at the next update', async () => {
  const { users, meet, storage } = openPeople();
  await meet(7);
  await storage.set('user:{7}', 'not ours');
  expect((await users.page(0, 9)).users).toEqual([]);
  await meet(7);
  expect((await users.page(0, 9)).users).toHaveLength(1);
});

test('counts new and active users per period, and users by language and state', async () => {
  const { meet, users, links, count, clock } = openPeople();
  await meet(1);
  clock.now += 29 * DAY;
  await meet(2, 'ru');
  clock.now += 6 * DAY;
  await meet(3);
  await meet(1);
  await links.link(3, 1001, 'a-key', 'en');
  await users.setUnreachable(2, 'deactivated');
  expect(await count(5_000)).toEqual({
    ...{ isPartial: false, total: 3, linked: 1, unreachable: 1, banned: 0, languages: { en: 2, ru: 1 } },
    newUsers: { 1: 1, 7: 2, 30: 2 },
    activeUsers: { 1: 2, 7: 3, 30: 3 },
  });
});

test('counts all pages, and marks the figures as partial after the time limit', async () => {
  const { meet, count } = openPeople();
  for (let user = 1; user <= 1_001; user += 1) await meet(user);
  expect(await count(60_000)).toMatchObject({ total: 1_001, isPartial: false });
  expect(await count(-1)).toMatchObject({ total: 0, isPartial: true });
});

test('keeps a ban and an opt-out on later days', async () => {
  const { users, meet, clock } = openPeople();
  await meet(7);
  await users.setBanned(7, true);
  await users.setBroadcastOptOut(7, true);
  await users.setUnreachable(7, 'blocked');
  clock.now += 3 * DAY;
  await meet(7, 'ru');
  expect(await users.find(7)).toMatchObject({ isBanned: true, hasOptedOut: true, language: 'ru' });
  expect((await users.find(7))?.unreachable).toBeUndefined();
});

test('keeps the listed commands of a user when other fields change', async () => {
  const { users, meet, clock } = openPeople();
  expect(await users.setListedCommands(7, 'a-list')).toBe(false);
  await meet(7);
  expect(await users.setListedCommands(7, 'a-list')).toBe(true);
  clock.now += DAY;
  await meet(7, 'ru');
  await users.setBroadcastOptOut(7, true);
  expect(await users.find(7)).toMatchObject({ listedCommands: 'a-list', hasOptedOut: true, language: 'ru' });
  await users.setListedCommands(7, undefined);
  expect(await users.find(7)).not.toHaveProperty('listedCommands');
});

test('keeps a ban when the user is erased, also at the same time', async () => {
  const { users, meet, storage } = openPeople();
  await meet(7);
  await users.setBanned(7, true);
  await users.erase(7);
  expect(await users.find(7)).toMatchObject({ isBanned: true });
  await meet(8);
  const { delete: erase } = storage;
  storage.delete = async (key, expected) => {
    if (expected !== undefined) await users.setBanned(8, true);
    return erase(key, expected);
  };
  await createUsers({ storage, records: signedRecords(storage), now: Date.now }).erase(8);
  expect(await users.find(8)).toMatchObject({ isBanned: true });
  expect((await users.page(0, 10)).users).toHaveLength(2);
});
