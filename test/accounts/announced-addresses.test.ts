import { expect, test } from 'vitest';
import { createAnnouncedAddresses } from '../../src/accounts/announced-addresses.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
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
  const announced = createAnnouncedAddresses({ storage, records: signedRecords(storage), now });
  return {
    ...{ clock, storage, announced },
    async announce(more: Partial<typeof asked> = {}) {
      const made = await announced.draft({ ...asked, ...more });
      if (made) await announced.keep(made);
      return made;
    },
    async kind(more: Partial<typeof asked> = {}) {
      return (await announced.standing({ ...asked, ...more })).kind;
    },
  };
}

test('an address is new, waits for ten minutes, and counts then', async () => {
  const { kind, announce, clock } = open();
  expect(await kind()).toBe('new');
  await announce();
  expect(await kind()).toBe('waiting');
  clock.now += 10 * MINUTE - 1;
  expect(await kind()).toBe('waiting');
  clock.now += 1;
  expect(await kind()).toBe('ripe');
});

test('it comes due once it counts, for its user to be offered the card, until that is done', async () => {
  const { announced, announce, clock } = open();
  const made = await announce();
  expect(await announced.due(10)).toEqual([]);
  clock.now += 10 * MINUTE;
  expect(await announced.due(10)).toEqual([made]);
  if (made) await announced.leave(made);
  expect(await announced.due(10)).toEqual([]);
});

test('struck out it is never offered, and is out for everybody who holds the account, for a day', async () => {
  const { announced, announce, kind, clock } = open();
  const made = await announce();
  expect(await announced.strike(ACCOUNT, made?.id ?? '')).toMatchObject({ address: ADDRESS });
  expect(await kind()).toBe('struck');
  expect(await kind({ user: 503 })).toBe('struck');
  expect(await kind({ account: ACCOUNT + 1 })).toBe('new');
  clock.now += 10 * MINUTE;
  expect(await announced.due(10)).toEqual([]);
  clock.now += 24 * 60 * MINUTE;
  expect(await kind()).toBe('new');
});

test('nobody finds or strikes what was announced for another account', async () => {
  const { announced, announce, kind } = open();
  const { id = '' } = (await announce()) ?? {};
  expect(await announced.find(ACCOUNT + 1, id)).toBeUndefined();
  expect(await announced.strike(ACCOUNT + 1, id)).toBeUndefined();
  expect(await kind()).toBe('waiting');
  expect(await announced.find(ACCOUNT, id)).toMatchObject({ user: 502 });
});

test('at most five are announced for an account within ten minutes, struck ones too, and twenty within a day', async () => {
  const { announced, announce, kind, clock } = open();
  for (let other = 0; other < 5; other += 1) {
    const made = await announce({ user: 600 + other });
    if (other % 2 === 0) await announced.strike(ACCOUNT, made?.id ?? '');
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

test('what was struck out stays so for its day, however many are used; of those the oldest go', async () => {
  const { announced, announce, kind, clock } = open();
  const made = await announce();
  await announced.strike(ACCOUNT, made?.id ?? '');
  for (let other = 0; other < 101; other += 1) {
    clock.now += 5_000;
    const used = { id: `used-${other}`, ...asked, user: 600 + other, address: OTHER, at: clock.now };
    await announced.keep({ ...used, usedAt: clock.now });
  }
  expect(await kind({ user: 700, address: OTHER })).toBe('ripe');
  expect(await kind({ user: 600, address: OTHER })).toBe('new');
  expect(await kind()).toBe('struck');
});

test('struck out late in its day it is out for another, and no longer for being struck twice', async () => {
  const { announced, announce, kind, clock } = open();
  const { id = '' } = (await announce()) ?? {};
  clock.now += 23 * 60 * MINUTE;
  await announced.strike(ACCOUNT, id);
  clock.now += 12 * 60 * MINUTE;
  await announced.strike(ACCOUNT, id);
  expect(await kind()).toBe('struck');
  clock.now += 12 * 60 * MINUTE;
  expect(await kind()).toBe('new');
});

test('what one user used makes another’s not count sooner, nor longer', async () => {
  const { announced, announce, kind, clock } = open();
  await announce();
  await announce({ user: 503 });
  await announced.use(asked);
  expect([await kind(), await kind({ user: 503 })]).toEqual(['ripe', 'waiting']);
  clock.now += 364 * 24 * 60 * MINUTE;
  expect([await kind(), await kind({ user: 503 })]).toEqual(['ripe', 'new']);
});

test('an announcement that is written late neither undoes a strike nor shortens the time', async () => {
  const { announced, announce, kind, clock } = open();
  const early = await announced.draft(asked);
  clock.now += 2 * MINUTE;
  const made = await announce();
  if (early) await announced.keep(early);
  clock.now += 9 * MINUTE;
  expect(await kind()).toBe('waiting');
  await announced.strike(ACCOUNT, made?.id ?? '');
  if (early) await announced.keep(early);
  expect(await kind()).toBe('struck');
});

test('all that were announced at once are kept', async () => {
  const { announce, kind } = open();
  await Promise.all([600, 601, 602].map((user) => announce({ user })));
  for (const user of [600, 601, 602]) expect(await kind({ user })).toBe('waiting');
});

test('what somebody else wrote there counts for nothing', async () => {
  const { storage, announce, kind, clock } = open();
  await announce();
  const key = `announced:${ACCOUNT}`;
  const [kept = ''] = [await storage.get(key)];
  await storage.set(key, kept.replace(`"at":${clock.now}`, '"at":0'));
  expect(await kind()).toBe('new');
});
