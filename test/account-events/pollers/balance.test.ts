import { expect, test } from 'vitest';
import { createBalanceLook } from '../../../src/account-events/account-pollers.ts';
import type { NewNotice } from '../../../src/notifications/outbox.ts';
import { START, USER } from '../../operations/operations-setup.ts';
import { ACCOUNT, API_KEY, OFFLINE, profileOf, standInRental } from '../../operations/rental-stand-in.ts';

const OTHER = USER + 1;

/** Polls one balance after another. `marks` are the thresholds that the account's holders have set. */
function openBalance(
  marks: Record<number, string | undefined> = { [USER]: '10' },
  alert: { mark?: string | undefined } = {},
) {
  const toAdmins = new Set<string>();
  const rental = standInRental();
  const added: NewNotice[] = [];
  const balance = createBalanceLook({
    links: { holders: async () => Object.keys(marks).map(Number) },
    noticeSettings: {
      async of(user) {
        const lowBalance = marks[user];
        return { muted: [], ...(lowBalance !== undefined && { lowBalance }) };
      },
    },
    outbox: { add: async (notice) => void added.push(notice) },
    operatorAlert: {
      markOf: async () => alert.mark,
      tell: async ({ balance, mark, at: of }) => void toAdmins.add(`${balance} below ${mark} at ${of}`),
    },
  });
  let known: readonly string[] | undefined;
  let at = START;
  /** Returns the users whom this poll notified. `isLost`: the process dies before the poll's result is stored. */
  async function look(trx: string, { isLost = false, account = ACCOUNT } = {}) {
    rental.profile.mockResolvedValueOnce(profileOf(trx, account));
    const from = added.length;
    const found = await balance.look(rental, API_KEY, { account: ACCOUNT, since: START, at, known });
    if (found.kind !== 'accepted') throw new Error('it was not accepted');
    if (!isLost) {
      known = found.value.known;
      at += 60_000;
    }
    const told = added.slice(from).map(({ chat, account: of, kind }) => {
      expect([of, kind]).toEqual([ACCOUNT, 'low-balance']);
      return chat;
    });
    return { told, hasChanged: found.value.hasChanged };
  }
  return { rental, added, balance, look, marks, toAdmins };
}

test('notifies a user once when the balance falls below the mark, until it recovers', async () => {
  const { look, added } = openBalance();
  expect((await look('10')).told).toEqual([]);
  expect((await look('9.999999')).told).toEqual([USER]);
  expect(added[0]?.data).toEqual({ balance: '9.999999', mark: '10' });
  expect((await look('5')).told).toEqual([]);
  expect((await look('10')).told).toEqual([]);
  expect((await look('9')).told).toEqual([USER]);
  expect(new Set(added.map(({ id }) => id)).size).toBe(2);
});

test('applies each holder’s own mark', async () => {
  const { look, marks } = openBalance({ [USER]: '10', [OTHER]: '100', [OTHER + 1]: undefined });
  expect((await look('50')).told).toEqual([OTHER]);
  expect((await look('5')).told).toEqual([USER]);
  expect((await look('50')).told).toEqual([]);
  expect((await look('5')).told).toEqual([USER]);
  marks[OTHER] = '200';
  expect((await look('5')).told).toEqual([OTHER]);
});

test('compares mark and balance as decimals, not as texts or floats', async () => {
  const { look } = openBalance({ [USER]: '9007199254740993' });
  expect((await look('9007199254740993.0')).told).toEqual([]);
  expect((await look('9007199254740992')).told).toEqual([USER]);
});

test('repeats a poll with a lost result under the same notification id', async () => {
  const { look, added } = openBalance();
  await look('5', { isLost: true });
  expect((await look('4')).told).toEqual([USER]);
  expect(new Set(added.map(({ id }) => id)).size).toBe(1);
});

test('ignores another account’s balance and keeps what it knows', async () => {
  const { look } = openBalance();
  await look('5');
  expect(await look('50', { account: ACCOUNT + 1 })).toEqual({ told: [], hasChanged: false });
  expect((await look('5')).told).toEqual([]);
});

test('reports a changed balance even if no user is notified', async () => {
  const { look } = openBalance();
  await look('1000');
  expect(await look('1000')).toEqual({ told: [], hasChanged: false });
  expect(await look('990')).toEqual({ told: [], hasChanged: true });
});

test.each([
  ['a holder has set a mark', { [USER]: undefined, [OTHER]: '10' }, true],
  ['no holder has set a mark', { [USER]: undefined }, false],
  ['the account has no holder', {}, false],
])('returns whether polling is wanted if %s', async (_, marks, isWanted) => {
  expect(await openBalance(marks).balance.isWanted?.(ACCOUNT)).toBe(isWanted);
});

test('notifies and learns nothing if the service does not respond', async () => {
  const { rental, balance, added } = openBalance();
  rental.profile.mockResolvedValueOnce(OFFLINE);
  const found = await balance.look(rental, API_KEY, { account: ACCOUNT, since: 0, at: 0, known: [] });
  expect([found, added]).toEqual([OFFLINE, []]);
});

test('notifies admins once when the operator account falls below its mark, until it recovers', async () => {
  const alert: { mark?: string | undefined } = { mark: '100' };
  const { look, toAdmins, balance } = openBalance({}, alert);
  expect(await balance.isWanted?.(ACCOUNT)).toBe(true);
  for (const trx of ['100', '99.999999', '50', '100', '80']) await look(trx);
  expect([...toAdmins].map((one) => one.split(' ')[0])).toEqual(['99.999999', '80']);
  alert.mark = undefined;
  await look('1');
  expect(await balance.isWanted?.(ACCOUNT)).toBe(false);
  expect(toAdmins.size).toBe(2);
});

test('polls within ten minutes while admins have set a mark', async () => {
  const { balance, rental } = openBalance({}, { mark: '100' });
  rental.profile.mockResolvedValue(profileOf('500.00', ACCOUNT));
  const found = await balance.look(rental, API_KEY, { account: ACCOUNT, since: 0, at: 0, known: [] });
  expect(found).toMatchObject({ value: { withinMs: 600_000 } });
});
