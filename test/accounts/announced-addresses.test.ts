import { expect, test } from 'vitest';
import { createAnnouncedAddresses } from '../../src/accounts/announced-addresses.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { signedRecords } from '../support/records.ts';

const MINUTE = 60_000;
const ACCOUNT = 1001;
const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
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

test('at most five wait for an account at once, of all who hold it', async () => {
  const { announce, kind, clock } = open();
  for (let other = 0; other < 5; other += 1) await announce({ user: 600 + other });
  expect(await announce()).toBeUndefined();
  expect(await kind()).toBe('new');
  clock.now += 10 * MINUTE;
  expect(await announce()).toBeDefined();
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
