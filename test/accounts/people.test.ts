import { expect, test } from 'vitest';
import { createLinks } from '../../src/accounts/links.ts';
import { createCountPeople, createPeople, dayAt } from '../../src/accounts/users.ts';
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
  const people = createPeople({
    storage: { ...storage, add: counting(storage.add), replace: counting(storage.replace) },
    now,
  });
  const links = createLinks({
    ...{ storage, records: signedRecords(storage), now },
    seal: createSeal([Buffer.alloc(32, 7)]),
  });
  const meet = async (user: number, language: 'en' | 'ru' = 'en') =>
    people.met(user, language, await people.find(user));
  return {
    clock,
    storage,
    people,
    links,
    meet,
    writes: () => writes,
    count: createCountPeople({ people, links, now }),
  };
}

test('stores only the first day, the last day and the language of a user', async () => {
  const { people, meet, clock, storage } = openPeople();
  expect(await people.find(7)).toBeUndefined();
  await meet(7);
  clock.now += 3 * DAY;
  await meet(7, 'ru');
  const first = dayAt(START);
  expect(await people.find(7)).toEqual({ user: 7, first, last: first + 3, language: 'ru' });
  expect(await storage.get('person:{7}')).toBe(JSON.stringify({ first, last: first + 3, language: 'ru' }));
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

test('marks a user who blocked the bot as gone until the next update', async () => {
  const { people, meet } = openPeople();
  await people.gone(7, 'blocked');
  expect(await people.find(7)).toBeUndefined();
  await meet(7);
  await people.gone(7, 'blocked');
  expect((await people.find(7))?.gone).toBe('blocked');
  await meet(7);
  expect((await people.find(7))?.gone).toBeUndefined();
});

test('returns each user once, page by page, in the order of their IDs', async () => {
  const { people, meet } = openPeople();
  for (const user of [7_000_000_000, 5, 12, 900]) await meet(user);
  const one = await people.page(0, 3);
  expect([one.people.map(({ user }) => user), one.last]).toEqual([[5, 12, 900], 900]);
  const other = await people.page(900, 3);
  expect([other.people.map(({ user }) => user), other.last]).toEqual([[7_000_000_000], undefined]);
});

test('removes an erased user, who counts as new on return', async () => {
  const { people, meet, clock, storage } = openPeople();
  await meet(7);
  await people.forget(7);
  expect(await people.page(0, 9)).toEqual({ people: [], last: undefined });
  expect(await storage.keys('')).toEqual([]);
  clock.now += 2 * DAY;
  await meet(7);
  expect((await people.find(7))?.first).toBe(dayAt(clock.now));
});

test('skips an unreadable record and replaces it at the next update', async () => {
  const { people, meet, storage } = openPeople();
  await meet(7);
  await storage.set('person:{7}', 'not ours');
  expect((await people.page(0, 9)).people).toEqual([]);
  await meet(7);
  expect((await people.page(0, 9)).people).toHaveLength(1);
});

test('counts new and active users per period, and users by language and state', async () => {
  const { meet, people, links, count, clock } = openPeople();
  await meet(1);
  clock.now += 29 * DAY;
  await meet(2, 'ru');
  clock.now += 6 * DAY;
  await meet(3);
  await meet(1);
  await links.link(3, 1001, 'a-key', 'en');
  await people.gone(2, 'deactivated');
  expect(await count(5_000)).toEqual({
    ...{ isPart: false, all: 3, linked: 1, gone: 1, barred: 0, languages: { en: 2, ru: 1 } },
    met: { 1: 1, 7: 2, 30: 2 },
    here: { 1: 2, 7: 3, 30: 3 },
  });
});

test('counts all pages, and marks the figures as partial after the time limit', async () => {
  const { meet, count } = openPeople();
  for (let user = 1; user <= 1_001; user += 1) await meet(user);
  expect(await count(60_000)).toMatchObject({ all: 1_001, isPart: false });
  expect(await count(-1)).toMatchObject({ all: 0, isPart: true });
});

test('keeps a ban and an opt-out on later days', async () => {
  const { people, meet, clock } = openPeople();
  await meet(7);
  await people.bar(7, true);
  await people.quiet(7, true);
  await people.gone(7, 'blocked');
  clock.now += 3 * DAY;
  await meet(7, 'ru');
  expect(await people.find(7)).toMatchObject({ isBarred: true, isQuiet: true, language: 'ru' });
  expect((await people.find(7))?.gone).toBeUndefined();
});

test('keeps the listed commands of a user when other fields change', async () => {
  const { people, meet, clock } = openPeople();
  expect(await people.listed(7, 'a-list')).toBe(false);
  await meet(7);
  expect(await people.listed(7, 'a-list')).toBe(true);
  clock.now += DAY;
  await meet(7, 'ru');
  await people.quiet(7, true);
  expect(await people.find(7)).toMatchObject({ commands: 'a-list', isQuiet: true, language: 'ru' });
  await people.listed(7, undefined);
  expect(await people.find(7)).not.toHaveProperty('commands');
});

test('keeps a ban when the user is erased, also at the same time', async () => {
  const { people, meet, storage } = openPeople();
  await meet(7);
  await people.bar(7, true);
  await people.forget(7);
  expect(await people.find(7)).toMatchObject({ isBarred: true });
  await meet(8);
  const { delete: erase } = storage;
  storage.delete = async (key, expected) => {
    if (expected !== undefined) await people.bar(8, true);
    return erase(key, expected);
  };
  await createPeople({ storage, now: Date.now }).forget(8);
  expect(await people.find(8)).toMatchObject({ isBarred: true });
  expect((await people.page(0, 10)).people).toHaveLength(2);
});
