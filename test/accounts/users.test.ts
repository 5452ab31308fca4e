import { describe, expect, test, vi } from 'vitest';
import { createUsers, dayAt } from '../../src/accounts/users.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { signedRecords } from '../support/records.ts';
import { storedKeys } from '../support/stored-keys.ts';

const DAY = 24 * 3600_000;
const START = Date.UTC(2026, 10, 1, 12);

describe('users', () => {
  function openUsers() {
    const clock = { now: START };
    const now = () => clock.now;
    const storage = createMemoryStorage({ now });
    const writes = [vi.spyOn(storage, 'add'), vi.spyOn(storage, 'replace')];
    const records = signedRecords(storage);
    const users = createUsers({ storage, records, now });
    return {
      ...{ clock, storage, users },
      /** Records an update of the user. */
      recordUpdate: async (user: number, language: 'en' | 'ru' = 'en') =>
        users.recordActivity(user, language, await users.find(user)),
      writes: () => writes.reduce((sum, { mock }) => sum + mock.calls.length, 0),
    };
  }

  test('are stored with the first day, the last day and the language only', async () => {
    const { users, recordUpdate, clock, storage } = openUsers();
    expect(await users.find(7)).toBeUndefined();
    await recordUpdate(7);
    clock.now += 3 * DAY;
    await recordUpdate(7, 'ru');
    const stored = { firstDay: dayAt(START), lastDay: dayAt(START) + 3, language: 'ru', number: 1 };
    expect(await users.find(7)).toEqual({ ...stored, user: 7 });
    expect(await storage.get('user:{7}')).toBe(JSON.stringify(stored));
  });

  test('are written once a day, unless the language changed', async () => {
    const { recordUpdate, clock, writes } = openUsers();
    await recordUpdate(7);
    clock.now += DAY / 4;
    await recordUpdate(7);
    expect(writes()).toBe(1);
    await recordUpdate(7, 'ru');
    expect(writes()).toBe(2);
    clock.now += DAY / 2;
    await recordUpdate(7, 'ru');
    expect(writes()).toBe(3);
  });

  test('are unreachable after blocking the bot until their next update', async () => {
    const { users, recordUpdate } = openUsers();
    await users.setUnreachable(7, 'blocked');
    expect(await users.find(7)).toBeUndefined();
    await recordUpdate(7);
    await users.setUnreachable(7, 'blocked');
    expect((await users.find(7))?.unreachable).toBe('blocked');
    await recordUpdate(7);
    expect((await users.find(7))?.unreachable).toBeUndefined();
  });

  test('are returned once each, page by page, in the order of their ids', async () => {
    const { users, recordUpdate } = openUsers();
    for (const user of [7_000_000_000, 5, 12, 900]) await recordUpdate(user);
    const pageAfter = async (after: number) => {
      const page = await users.page(after, 3);
      return [page.users.map(({ user }) => user), page.last];
    };
    expect(await pageAfter(0)).toEqual([[5, 12, 900], 900]);
    expect(await pageAfter(900)).toEqual([[7_000_000_000], undefined]);
  });

  test('are removed when they are erased, and count as new on their next update', async () => {
    const { users, recordUpdate, clock, storage } = openUsers();
    await recordUpdate(7);
    await users.erase(7);
    expect(await users.page(0, 9)).toEqual({ users: [], last: undefined });
    expect((await storedKeys(storage)).toSorted()).toEqual(['erased-users', 'user-cells:0', 'user-numbers']);
    clock.now += 2 * DAY;
    await recordUpdate(7);
    expect((await users.find(7))?.firstDay).toBe(dayAt(clock.now));
  });

  test('with an unreadable record are skipped until their next update', async () => {
    const { users, recordUpdate, storage } = openUsers();
    await recordUpdate(7);
    await storage.set('user:{7}', 'unreadable');
    expect((await users.page(0, 9)).users).toEqual([]);
    await recordUpdate(7);
    expect((await users.page(0, 9)).users).toHaveLength(1);
  });

  test('keep a ban, an opt-out and their listed commands on later days', async () => {
    const { users, recordUpdate, clock } = openUsers();
    expect(await users.setListedCommands(7, 'a-list')).toBe(false);
    await recordUpdate(7);
    await users.setBanned(7, true);
    expect(await users.setListedCommands(7, 'a-list')).toBe(true);
    await users.setBroadcastOptOut(7, true);
    await users.setUnreachable(7, 'blocked');
    clock.now += 3 * DAY;
    await recordUpdate(7, 'ru');
    const kept = { isBanned: true, hasOptedOut: true, listedCommands: 'a-list', language: 'ru' };
    expect(await users.find(7)).toMatchObject(kept);
    expect(await users.find(7)).not.toHaveProperty('unreachable');
    await users.setListedCommands(7, undefined);
    expect(await users.find(7)).not.toHaveProperty('listedCommands');
  });

  test('keep a ban when they are erased, even if they are banned during the erasure', async () => {
    const { users, recordUpdate, storage } = openUsers();
    await recordUpdate(7);
    await users.setBanned(7, true);
    await users.erase(7);
    await recordUpdate(8);
    const { delete: erase } = storage;
    storage.delete = async (key, expected) => {
      if (expected !== undefined) await users.setBanned(8, true);
      return erase(key, expected);
    };
    await users.erase(8);
    expect((await users.page(0, 10)).users).toMatchObject([
      { user: 7, isBanned: true },
      { user: 8, isBanned: true },
    ]);
  });
});
