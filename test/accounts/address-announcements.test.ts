import { describe, expect, test, vi } from 'vitest';
import { createAddressAnnouncements } from '../../src/accounts/address-announcements.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { signedRecords } from '../support/records.ts';
import { storedKeys } from '../support/stored-keys.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const [USER, OTHER, ACCOUNT] = [502, 503, 1001];
const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const WITHDRAWAL = { user: USER, account: ACCOUNT, address: ADDRESS, trx: '5.00' };
type More = Partial<typeof WITHDRAWAL>;

function open() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const announcements = createAddressAnnouncements({ storage, records: signedRecords(storage), now });
  return {
    ...{ clock, storage, announcements },
    /** Returns the announcement, `undefined` if the limits are reached. */
    async announce(more: More = {}) {
      const announcement = await announcements.draft({ ...WITHDRAWAL, ...more });
      if (announcement) await announcements.add(announcement);
      return announcement;
    },
    kind: async (more: More = {}) => (await announcements.getStatus({ ...WITHDRAWAL, ...more })).kind,
    use: (more: More = {}) => announcements.recordUse({ ...WITHDRAWAL, ...more }),
    /** Returns the text of all stored announcements. */
    stored: async () =>
      Promise.all((await storedKeys(storage, 'address-announcements:')).map(storage.get)).then(String),
  };
}

test('an announced address can be used after ten minutes, and is due then until it is dequeued', async () => {
  const { announcements, kind, announce, clock } = open();
  expect(await kind()).toBe('new');
  const announcement = await announce();
  for (const ms of [0, 10 * MINUTE - 1]) {
    clock.now += ms;
    expect([await kind(), await announcements.due(10)]).toEqual(['waiting', []]);
  }
  clock.now += 1;
  expect([await kind(), await announcements.due(10)]).toEqual(['usable', [announcement]]);
  if (announcement) await announcements.dequeue(announcement);
  expect(await announcements.due(10)).toEqual([]);
});

test('a cancelled address is never due and stays cancelled for all holders for a day', async () => {
  const { announcements, announce, kind, clock } = open();
  const { id = '' } = (await announce()) ?? {};
  expect(await announcements.cancel(ACCOUNT, id, USER)).toMatchObject({ address: ADDRESS });
  expect([await kind(), await kind({ user: OTHER })]).toEqual(['cancelled', 'cancelled']);
  expect(await kind({ account: ACCOUNT + 1 })).toBe('new');
  clock.now += 10 * MINUTE;
  expect(await announcements.due(10)).toEqual([]);
  clock.now += DAY;
  expect(await kind()).toBe('new');
});

test('an announcement of another account is neither found nor cancelled', async () => {
  const { announcements, announce, kind } = open();
  const { id = '' } = (await announce()) ?? {};
  expect(await announcements.find(ACCOUNT + 1, id)).toBeUndefined();
  expect(await announcements.cancel(ACCOUNT + 1, id, USER)).toBeUndefined();
  expect(await kind()).toBe('waiting');
  expect(await announcements.find(ACCOUNT, id)).toMatchObject({ user: USER });
});

test('an account has at most five announcements in ten minutes and twenty in a day', async () => {
  const { announcements, announce, kind, clock } = open();
  for (let other = 0; other < 5; other += 1) {
    const announcement = await announce({ user: 600 + other });
    if (other % 2 === 0) await announcements.cancel(ACCOUNT, announcement?.id ?? '', USER);
  }
  expect(await announce({ user: 700 })).toBeUndefined();
  expect(await kind({ user: 700, address: 'T-other' })).toBe('new');
  for (let more = 0; more < 15; more += 1) {
    if (more % 5 === 0) clock.now += 10 * MINUTE;
    expect(await announce({ user: 800 + more })).toBeDefined();
  }
  clock.now += 10 * MINUTE;
  expect(await announce({ user: 900 })).toBeUndefined();
  clock.now += DAY;
  expect(await announce({ user: 900 })).toBeDefined();
});

test('the oldest used addresses are dropped when there are many, but no cancellation', async () => {
  const { announcements, announce, kind, clock } = open();
  const { id = '' } = (await announce()) ?? {};
  await announcements.cancel(ACCOUNT, id, USER);
  for (let other = 0; other < 101; other += 1) {
    clock.now += 5_000;
    const used = { id: `used-${other}`, at: clock.now, usedAt: clock.now };
    await announcements.add({ ...WITHDRAWAL, user: 600 + other, address: 'T-other', ...used });
  }
  expect(await kind({ user: 700, address: 'T-other' })).toBe('usable');
  expect(await kind({ user: 600, address: 'T-other' })).toBe('new');
  expect(await kind()).toBe('cancelled');
});

test('a cancellation lasts a day, and a second one does not extend it', async () => {
  const { announcements, announce, kind, clock } = open();
  const { id = '' } = (await announce()) ?? {};
  clock.now += DAY - 60 * MINUTE;
  await announcements.cancel(ACCOUNT, id, USER);
  clock.now += DAY / 2;
  await announcements.cancel(ACCOUNT, id, USER);
  expect(await kind()).toBe('cancelled');
  clock.now += DAY / 2;
  expect(await kind()).toBe('new');
});

test('a use by one user does not affect another user’s wait or expiry', async () => {
  const { announce, kind, use, clock } = open();
  await announce();
  await announce({ user: OTHER });
  await use();
  expect([await kind(), await kind({ user: OTHER })]).toEqual(['usable', 'waiting']);
  clock.now += 364 * DAY;
  expect([await kind(), await kind({ user: OTHER })]).toEqual(['usable', 'new']);
});

test('a late write of an announcement neither undoes a cancellation nor shortens the wait', async () => {
  const { announcements, announce, kind, clock } = open();
  const early = await announcements.draft(WITHDRAWAL);
  clock.now += 2 * MINUTE;
  const { id = '' } = (await announce()) ?? {};
  if (early) await announcements.add(early);
  clock.now += 9 * MINUTE;
  expect(await kind()).toBe('waiting');
  await announcements.cancel(ACCOUNT, id, USER);
  if (early) await announcements.add(early);
  expect(await kind()).toBe('cancelled');
});

test('concurrent announcements are all stored', async () => {
  const { announce, kind } = open();
  await Promise.all([600, 601, 602].map((user) => announce({ user })));
  for (const user of [600, 601, 602]) expect(await kind({ user })).toBe('waiting');
});

test('announcements that were tampered with are ignored', async () => {
  const { storage, announce, kind, clock, stored } = open();
  await announce();
  const tampered = (await stored()).replace(`"at":${clock.now}`, '"at":0');
  await storage.set(`address-announcements:${ACCOUNT}`, tampered);
  expect(await kind()).toBe('new');
});

test('leaving the account ends the user’s waiting withdrawals, but no used address or another user’s', async () => {
  const { announcements, announce, use, kind, clock } = open();
  const [waiting, used, others] = [{ address: 'T-waiting' }, { address: 'T-used' }, { user: OTHER }];
  for (const one of [waiting, used, others]) await announce(one);
  await use(used);
  clock.now += 11 * MINUTE;
  const left = await announcements.abandonAll({ user: USER, account: ACCOUNT });
  expect(left.map(({ address }) => address)).toEqual(['T-waiting']);
  expect(await Promise.all([waiting, used, others].map(kind))).toEqual(['new', 'usable', 'usable']);
});

describe('erasing a user', () => {
  test('erases the user’s used addresses of all accounts, but not those of others', async () => {
    const { announcements, announce, use, kind, clock, storage, stored } = open();
    const scans = vi.spyOn(storage, 'keysPage');
    const used = [{}, { account: ACCOUNT + 1 }, { user: OTHER }];
    for (const more of used) {
      await announce(more);
      await use(more);
    }
    clock.now += 11 * MINUTE;
    await announcements.eraseUser(USER);
    expect(await Promise.all(used.map(kind))).toEqual(['new', 'new', 'usable']);
    expect(scans).not.toHaveBeenCalled();
    expect(await stored()).not.toContain(String(USER));
  });

  test('keeps waiting and cancelled announcements for their day to protect other holders', async () => {
    const { announcements, announce, use, kind, clock, storage, stored } = open();
    const [waiting, cancelled] = [{ address: 'T-waiting' }, { address: 'T-cancelled' }];
    await announce(waiting);
    const { id = '' } = (await announce(cancelled)) ?? {};
    await use(cancelled);
    await announcements.cancel(ACCOUNT, id, USER);
    await announcements.eraseUser(USER);
    // If the user returns, it doesn't wait any more.
    expect(await kind(waiting)).toBe('new');
    expect(await kind({ ...cancelled, user: OTHER })).toBe('cancelled');
    for (let more = 0; more < 4; more += 1) await announce({ address: `T-${more}` });
    expect(await announce({ address: 'T-too-many' })).toBeUndefined();
    await announcements.eraseUser(USER);
    clock.now += 11 * MINUTE;
    // An erased user isn't offered a card.
    expect(await announcements.due(10)).toEqual([]);
    expect(await stored()).toContain(String(USER));
    clock.now += DAY;
    expect(await storedKeys(storage, 'address-announcements:')).toEqual([]);
  });

  test('finds an account again that was missing among those of the user, but not after the erasure', async () => {
    const { announcements, announce, use, kind, storage, stored } = open();
    const index = `announcing-accounts:{${USER}}`;
    await announce();
    await use();
    await announce({ address: 'T-waiting' });
    expect(await announcements.addIfMissing(ACCOUNT)).toBe(false);
    await storage.index.remove(index, String(ACCOUNT));
    expect(await announcements.addIfMissing(ACCOUNT)).toBe(true);
    await announcements.eraseUser(USER);
    expect(await kind()).toBe('new');
    await storage.delete(index);
    expect([await announcements.addIfMissing(ACCOUNT), await stored()]).toEqual([
      false,
      expect.stringContaining('T-waiting'),
    ]);
  });

  test('skips unreadable announcements', async () => {
    const { announcements, announce, use, kind, storage } = open();
    await storage.set('address-announcements:1', 'of nobody here');
    await announce();
    await use();
    await announcements.eraseUser(USER);
    expect(await kind()).toBe('new');
    expect(await storedKeys(storage, 'address-announcements:')).toEqual(['address-announcements:1']);
  });
});

test('an announcement that lapsed unnoticed comes due although another change of the list came first', async () => {
  const { announcements, announce, clock } = open();
  const lapsed = (await announce()) ?? expect.fail('nothing was announced');
  await announcements.scheduleEnd(lapsed);
  clock.now += DAY;
  await announce({ user: OTHER, address: 'TPYmHEhy5n8TCEfYGqW2rPxsghSfzghPDn' });
  expect(await announcements.due(10)).toEqual([lapsed]);
  await announcements.dequeue(lapsed);
  expect(await announcements.draft(WITHDRAWAL)).not.toHaveProperty('wasBlocked');
});

test('remembers the first message of an announcement and the latest ones', async () => {
  const { announcements, announce } = open();
  const { id } = (await announce()) ?? expect.fail('nothing was announced');
  for (let message = 1; message <= 8; message += 1) await announcements.addMessage(ACCOUNT, id, message);
  expect(await announcements.find(ACCOUNT, id)).toMatchObject({ messages: [1, 5, 6, 7, 8] });
});
