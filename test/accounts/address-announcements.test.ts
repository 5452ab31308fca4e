import { expect, test } from 'vitest';
import { createAddressAnnouncements } from '../../src/accounts/address-announcements.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { signedRecords } from '../support/records.ts';

const MINUTE = 60_000;
const ACCOUNT = 1001;
const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const asked = { user: 502, account: ACCOUNT, address: ADDRESS, trx: '5.00' };

function open() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const addressAnnouncements = createAddressAnnouncements({ storage, records: signedRecords(storage), now });
  return {
    ...{ clock, storage, addressAnnouncements },
    async announce(more: Partial<typeof asked> = {}) {
      const made = await addressAnnouncements.draft({ ...asked, ...more });
      if (made) await addressAnnouncements.add(made);
      return made;
    },
    async kind(more: Partial<typeof asked> = {}) {
      return (await addressAnnouncements.getStatus({ ...asked, ...more })).kind;
    },
  };
}

test('an announced address waits ten minutes, then is ripe', async () => {
  const { kind, announce, clock } = open();
  expect(await kind()).toBe('new');
  await announce();
  expect(await kind()).toBe('waiting');
  clock.now += 10 * MINUTE - 1;
  expect(await kind()).toBe('waiting');
  clock.now += 1;
  expect(await kind()).toBe('usable');
});

test('an announcement is due after ten minutes until it is removed from the queue', async () => {
  const { addressAnnouncements, announce, clock } = open();
  const made = await announce();
  expect(await addressAnnouncements.due(10)).toEqual([]);
  clock.now += 10 * MINUTE;
  expect(await addressAnnouncements.due(10)).toEqual([made]);
  if (made) await addressAnnouncements.dequeue(made);
  expect(await addressAnnouncements.due(10)).toEqual([]);
});

test('a struck address is never due and stays struck for all account holders for a day', async () => {
  const { addressAnnouncements, announce, kind, clock } = open();
  const made = await announce();
  expect(await addressAnnouncements.cancel(ACCOUNT, made?.id ?? '')).toMatchObject({ address: ADDRESS });
  expect(await kind()).toBe('cancelled');
  expect(await kind({ user: 503 })).toBe('cancelled');
  expect(await kind({ account: ACCOUNT + 1 })).toBe('new');
  clock.now += 10 * MINUTE;
  expect(await addressAnnouncements.due(10)).toEqual([]);
  clock.now += 24 * 60 * MINUTE;
  expect(await kind()).toBe('new');
});

test('does not find or strike an announcement of another account', async () => {
  const { addressAnnouncements, announce, kind } = open();
  const { id = '' } = (await announce()) ?? {};
  expect(await addressAnnouncements.find(ACCOUNT + 1, id)).toBeUndefined();
  expect(await addressAnnouncements.cancel(ACCOUNT + 1, id)).toBeUndefined();
  expect(await kind()).toBe('waiting');
  expect(await addressAnnouncements.find(ACCOUNT, id)).toMatchObject({ user: 502 });
});

test('limits an account to five announcements in ten minutes and twenty in a day', async () => {
  const { addressAnnouncements, announce, kind, clock } = open();
  for (let other = 0; other < 5; other += 1) {
    const made = await announce({ user: 600 + other });
    if (other % 2 === 0) await addressAnnouncements.cancel(ACCOUNT, made?.id ?? '');
  }
  expect(await announce({ user: 700 })).toBeUndefined();
  expect(await kind({ user: 700, address: OTHER })).toBe('new');
  for (let more = 0; more < 15; more += 1) {
    if (more % 5 === 0) clock.now += 10 * MINUTE;
    expect(await announce({ user: 800 + more })).toBeDefined();
  }
  clock.now += 10 * MINUTE;
  expect(await announce({ user: 900 })).toBeUndefined();
  clock.now += 24 * 60 * MINUTE;
  expect(await announce({ user: 900 })).toBeDefined();
});

test('keeps a strike but drops the oldest used addresses when there are many', async () => {
  const { addressAnnouncements, announce, kind, clock } = open();
  const made = await announce();
  await addressAnnouncements.cancel(ACCOUNT, made?.id ?? '');
  for (let other = 0; other < 101; other += 1) {
    clock.now += 5_000;
    const used = { id: `used-${other}`, ...asked, user: 600 + other, address: OTHER, at: clock.now };
    await addressAnnouncements.add({ ...used, usedAt: clock.now });
  }
  expect(await kind({ user: 700, address: OTHER })).toBe('usable');
  expect(await kind({ user: 600, address: OTHER })).toBe('new');
  expect(await kind()).toBe('cancelled');
});

test('a strike lasts a day, and striking twice does not extend it', async () => {
  const { addressAnnouncements, announce, kind, clock } = open();
  const { id = '' } = (await announce()) ?? {};
  clock.now += 23 * 60 * MINUTE;
  await addressAnnouncements.cancel(ACCOUNT, id);
  clock.now += 12 * 60 * MINUTE;
  await addressAnnouncements.cancel(ACCOUNT, id);
  expect(await kind()).toBe('cancelled');
  clock.now += 12 * 60 * MINUTE;
  expect(await kind()).toBe('new');
});

test('a use by one user does not affect another user’s wait or expiry', async () => {
  const { addressAnnouncements, announce, kind, clock } = open();
  await announce();
  await announce({ user: 503 });
  await addressAnnouncements.recordUse(asked);
  expect([await kind(), await kind({ user: 503 })]).toEqual(['usable', 'waiting']);
  clock.now += 364 * 24 * 60 * MINUTE;
  expect([await kind(), await kind({ user: 503 })]).toEqual(['usable', 'new']);
});

test('a late write of an announcement neither undoes a strike nor shortens the wait', async () => {
  const { addressAnnouncements, announce, kind, clock } = open();
  const early = await addressAnnouncements.draft(asked);
  clock.now += 2 * MINUTE;
  const made = await announce();
  if (early) await addressAnnouncements.add(early);
  clock.now += 9 * MINUTE;
  expect(await kind()).toBe('waiting');
  await addressAnnouncements.cancel(ACCOUNT, made?.id ?? '');
  if (early) await addressAnnouncements.add(early);
  expect(await kind()).toBe('cancelled');
});

test('keeps all concurrent announcements', async () => {
  const { announce, kind } = open();
  await Promise.all([600, 601, 602].map((user) => announce({ user })));
  for (const user of [600, 601, 602]) expect(await kind({ user })).toBe('waiting');
});

test('ignores announcements that were tampered with', async () => {
  const { storage, announce, kind, clock } = open();
  await announce();
  const key = `address-announcements:${ACCOUNT}`;
  const [kept = ''] = [await storage.get(key)];
  await storage.set(key, kept.replace(`"at":${clock.now}`, '"at":0'));
  expect(await kind()).toBe('new');
});
