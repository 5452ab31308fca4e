import { expect, test } from 'vitest';
import { createAnnouncedAddresses, createForgetAnnounced } from '../../src/accounts/announced-addresses.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { signedRecords } from '../support/records.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const [USER, OTHER, ACCOUNT] = [502, 503, 1001];

function open() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const records = signedRecords(storage);
  const announced = createAnnouncedAddresses({ storage, records, now });
  const forget = createForgetAnnounced({ storage, records, now });
  return {
    ...{ clock, storage, announced, forget },
    async announce(address: string, { user = USER, account = ACCOUNT, used = false } = {}) {
      const asked = { user, account, address };
      const made = await announced.draft({ ...asked, trx: '5.00' });
      if (made) await announced.keep(made);
      if (used) await announced.use(asked);
      return made?.id ?? '';
    },
    kind: async (address: string, { user = USER, account = ACCOUNT } = {}) =>
      (await announced.standing({ user, account, address })).kind,
    /** Returns the text of all stored announcements. */
    stored: async () => Promise.all((await storage.keys('announced:')).map(storage.get)).then(String),
  };
}

test('erases a user’s used addresses of all accounts, but not those of others', async () => {
  const { announce, forget, kind, clock, stored } = open();
  await announce('T-one', { used: true });
  await announce('T-two', { account: ACCOUNT + 1, used: true });
  await announce('T-one', { user: OTHER, used: true });
  clock.now += 11 * MINUTE;
  await forget(USER);
  expect(await kind('T-one')).toBe('new');
  expect(await kind('T-two', { account: ACCOUNT + 1 })).toBe('new');
  expect(await kind('T-one', { user: OTHER })).toBe('ripe');
  expect(await stored()).not.toContain(String(USER));
});

test('keeps waiting and struck announcements for their day to protect other holders', async () => {
  const { announce, announced, forget, kind, clock, storage, stored } = open();
  await announce('T-waits');
  const struck = await announce('T-struck', { used: true });
  await announced.strike(ACCOUNT, struck);
  await forget(USER);
  expect(await kind('T-waits')).toBe('waiting');
  expect(await kind('T-struck', { user: OTHER })).toBe('struck');
  for (let more = 0; more < 4; more += 1) await announce(`T-${more}`);
  expect(
    await announced.draft({ user: USER, account: ACCOUNT, address: 'T-flood', trx: '1' }),
  ).toBeUndefined();
  await forget(USER);
  clock.now += 11 * MINUTE;
  // An erased user isn't offered a card.
  expect(await announced.due(10)).toEqual([]);
  expect(await stored()).toContain(String(USER));
  clock.now += DAY;
  expect(await storage.keys('announced:')).toEqual([]);
});

test('skips unreadable announcements', async () => {
  const { announce, forget, kind, storage } = open();
  await storage.set('announced:1', 'of nobody here');
  await announce('T-one', { used: true });
  await forget(USER);
  expect(await kind('T-one')).toBe('new');
  expect(await storage.keys('announced:')).toEqual(['announced:1']);
});
