import { expect, test } from 'vitest';
import { createAddressAnnouncements } from '../../src/accounts/address-announcements.ts';
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
  const addressAnnouncements = createAddressAnnouncements({ storage, records, now });
  const forget = addressAnnouncements.eraseUser;
  return {
    ...{ clock, storage, addressAnnouncements, forget },
    async announce(address: string, { user = USER, account = ACCOUNT, used = false } = {}) {
      const asked = { user, account, address };
      const made = await addressAnnouncements.draft({ ...asked, trx: '5.00' });
      if (made) await addressAnnouncements.add(made);
      if (used) await addressAnnouncements.recordUse(asked);
      return made?.id ?? '';
    },
    kind: async (address: string, { user = USER, account = ACCOUNT } = {}) =>
      (await addressAnnouncements.getStatus({ user, account, address })).kind,
    /** Returns the text of all stored announcements. */
    stored: async () =>
      Promise.all((await storage.keys('address-announcements:')).map(storage.get)).then(String),
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
  expect(await kind('T-one', { user: OTHER })).toBe('usable');
  expect(await stored()).not.toContain(String(USER));
});

test('keeps waiting and struck announcements for their day to protect other holders', async () => {
  const { announce, addressAnnouncements, forget, kind, clock, storage, stored } = open();
  await announce('T-waits');
  const struck = await announce('T-struck', { used: true });
  await addressAnnouncements.cancel(ACCOUNT, struck);
  await forget(USER);
  expect(await kind('T-waits')).toBe('waiting');
  expect(await kind('T-struck', { user: OTHER })).toBe('cancelled');
  for (let more = 0; more < 4; more += 1) await announce(`T-${more}`);
  expect(
    await addressAnnouncements.draft({ user: USER, account: ACCOUNT, address: 'T-flood', trx: '1' }),
  ).toBeUndefined();
  await forget(USER);
  clock.now += 11 * MINUTE;
  // An erased user isn't offered a card.
  expect(await addressAnnouncements.due(10)).toEqual([]);
  expect(await stored()).toContain(String(USER));
  clock.now += DAY;
  expect(await storage.keys('address-announcements:')).toEqual([]);
});

test('skips unreadable announcements', async () => {
  const { announce, forget, kind, storage } = open();
  await storage.set('address-announcements:1', 'of nobody here');
  await announce('T-one', { used: true });
  await forget(USER);
  expect(await kind('T-one')).toBe('new');
  expect(await storage.keys('address-announcements:')).toEqual(['address-announcements:1']);
});
