import { describe, expect, test, vi } from 'vitest';
import {
  createNotificationSettings,
  createUsers,
  dayAt,
  isMuted,
  MUTABLE_KINDS,
} from '../../src/accounts/users.ts';
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
    expect((await storedKeys(storage)).toSorted()).toEqual(['user-cells:0', 'user-numbers']);
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

describe('notification settings', () => {
  const [USER, OTHER] = [502, 503];
  const KEY = `notification-settings:{${USER}}`;
  const ON_BY_DEFAULT = MUTABLE_KINDS.filter((kind) => !isMuted({ muted: [] }, kind));

  function openSettings() {
    const storage = createMemoryStorage();
    const records = signedRecords(storage);
    return { storage, records, settings: createNotificationSettings({ records }) };
  }

  test('mute and unmute each kind separately, for one user only', async () => {
    const { settings } = openSettings();
    for (const kind of MUTABLE_KINDS) await settings.setMuted(USER, kind, true);
    await settings.setMuted(USER, 'orders', true);
    await settings.setMuted(USER, 'orders', false);
    expect(await settings.get(USER)).toEqual({ muted: ON_BY_DEFAULT.filter((kind) => kind !== 'orders') });
    expect(await settings.get(OTHER)).toEqual({ muted: [] });
  });

  test('turn rental reminders on and off, which are off by default', async () => {
    const { settings } = openSettings();
    expect(isMuted(await settings.get(USER), 'rentals')).toBe(true);
    for (let times = 0; times < 2; times++) await settings.setMuted(USER, 'rentals', false);
    await settings.setMuted(USER, 'orders', true);
    expect(await settings.get(USER)).toEqual({ muted: ['orders'], turnedOn: ['rentals'] });
    expect(isMuted(await settings.get(USER), 'rentals')).toBe(false);
    await settings.setMuted(USER, 'rentals', true);
    expect(await settings.get(USER)).toEqual({ muted: ['orders'] });
  });

  test('change the threshold independently of muted kinds', async () => {
    const { settings } = openSettings();
    await settings.setLowBalance(USER, '50.00');
    await settings.setMuted(USER, 'hook', true);
    expect(await settings.get(USER)).toEqual({ muted: ['hook'], lowBalance: '50.00' });
    await settings.setLowBalance(USER, '10.50');
    expect(await settings.get(USER)).toEqual({ muted: ['hook'], lowBalance: '10.50' });
    await settings.setLowBalance(USER, undefined);
    expect(await settings.get(USER)).toEqual({ muted: ['hook'] });
  });

  test('keep the changes of concurrent calls', async () => {
    const { settings } = openSettings();
    await Promise.all([
      settings.setMuted(USER, 'orders', true),
      settings.setLowBalance(USER, '7.00'),
      settings.setMuted(USER, 'other', true),
    ]);
    expect(await settings.get(USER)).toEqual({ muted: ['orders', 'other'], lowBalance: '7.00' });
  });

  test('have no muted kinds and no threshold by default, and after they are deleted', async () => {
    const { settings, storage } = openSettings();
    const expectNone = async () => {
      expect(await settings.get(USER)).toEqual({ muted: [] });
      expect(await storedKeys(storage)).toEqual([]);
    };
    await expectNone();
    await settings.setMuted(USER, 'orders', true);
    await settings.delete(USER);
    await expectNone();
  });

  test.each([
    ['the kind was tampered with', (text: string) => text.replace('"withdrawals"', '"hook"')],
    ['the threshold was tampered with', (text: string) => text.replace('50.00', '99.00')],
    ['they are those of another user', (_: string, others: string) => others],
  ])('count as missing if %s, until the next change', async (_, forge) => {
    const { settings, storage } = openSettings();
    for (const user of [USER, OTHER]) {
      await settings.setMuted(user, 'withdrawals', true);
      await settings.setLowBalance(user, '50.00');
    }
    const [text = '', others = ''] = [
      await storage.get(KEY),
      await storage.get(`notification-settings:{${OTHER}}`),
    ];
    expect(forge(text, others)).not.toBe(text);
    await storage.set(KEY, forge(text, others));
    expect(await settings.get(USER)).toEqual({ muted: [] });
    await settings.setMuted(USER, 'orders', true);
    expect(await settings.get(USER)).toEqual({ muted: ['orders'] });
  });

  test('ignore a muted kind of a later version but keep it in the record', async () => {
    const { settings, records } = openSettings();
    await records.set(KEY, JSON.stringify({ muted: ['storms', 'orders'] }));
    await settings.setMuted(USER, 'other', true);
    expect(await settings.get(USER)).toEqual({ muted: ['orders', 'other'] });
    expect((await records.get(KEY))?.content).toContain('storms');
  });
});
