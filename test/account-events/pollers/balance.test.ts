import { expect, test } from 'vitest';
import { createBalancePoller } from '../../../src/account-events/account-pollers.ts';
import type { NewNotification } from '../../../src/notifications/outbox.ts';
import { START, USER } from '../../operations/operations-setup.ts';
import { ACCOUNT, API_KEY, OFFLINE, profileOf, standInRental } from '../../operations/rental-stand-in.ts';

const OTHER = USER + 1;

/** Polls one balance after another. `thresholds`: those that the account's holders have set. */
function openBalance(
  thresholds: Record<number, string | undefined> = { [USER]: '10' },
  adminAlert: { threshold?: string | undefined } = {},
) {
  const toAdmins = new Set<string>();
  const rental = standInRental();
  const added: NewNotification[] = [];
  const balance = createBalancePoller({
    links: { holders: async () => Object.keys(thresholds).map(Number) },
    notificationSettings: {
      async get(user) {
        const lowBalance = thresholds[user];
        return { muted: [], ...(lowBalance !== undefined && { lowBalance }) };
      },
    },
    outbox: { add: async (notification) => void added.push(notification) },
    operatorAlert: {
      thresholdOf: async () => adminAlert.threshold,
      async notifyAdmins({ balance, threshold, polledAt }) {
        toAdmins.add(`${balance} below ${threshold} at ${polledAt}`);
      },
    },
  });
  let knownItems: readonly string[] | undefined;
  let polledAt = START;
  /** Returns the users whom this poll notified. `isLost`: the process dies before the poll's result is stored. */
  async function poll(trx: string, { isLost = false, account = ACCOUNT } = {}) {
    rental.profile.mockResolvedValueOnce(profileOf(trx, account));
    const from = added.length;
    const outcome = await balance.poll(rental, API_KEY, {
      account: ACCOUNT,
      since: START,
      polledAt,
      knownItems,
    });
    if (outcome.kind !== 'accepted') throw new Error('the poll was not accepted');
    if (!isLost) {
      knownItems = outcome.value.knownItems;
      polledAt += 60_000;
    }
    const notified = added.slice(from).map(({ chat, account: of, kind }) => {
      expect([of, kind]).toEqual([ACCOUNT, 'low-balance']);
      return chat;
    });
    return { notified, hasChanged: outcome.value.hasChanged };
  }
  return { rental, added, balance, poll, thresholds, toAdmins };
}

test('notifies a user once when the balance falls below the threshold, until it recovers', async () => {
  const { poll, added } = openBalance();
  expect((await poll('10')).notified).toEqual([]);
  expect((await poll('9.999999')).notified).toEqual([USER]);
  expect(added[0]?.data).toEqual({ balance: '9.999999', threshold: '10' });
  expect((await poll('5')).notified).toEqual([]);
  expect((await poll('10')).notified).toEqual([]);
  expect((await poll('9')).notified).toEqual([USER]);
  expect(new Set(added.map(({ id }) => id)).size).toBe(2);
});

test('applies each holder’s threshold', async () => {
  const { poll, thresholds } = openBalance({ [USER]: '10', [OTHER]: '100', [OTHER + 1]: undefined });
  expect((await poll('50')).notified).toEqual([OTHER]);
  expect((await poll('5')).notified).toEqual([USER]);
  expect((await poll('50')).notified).toEqual([]);
  expect((await poll('5')).notified).toEqual([USER]);
  thresholds[OTHER] = '200';
  expect((await poll('5')).notified).toEqual([OTHER]);
});

test('compares threshold and balance as decimals, not as texts or floats', async () => {
  const { poll } = openBalance({ [USER]: '9007199254740993' });
  expect((await poll('9007199254740993.0')).notified).toEqual([]);
  expect((await poll('9007199254740992')).notified).toEqual([USER]);
});

test('repeats a poll with a lost result under the same notification id', async () => {
  const { poll, added } = openBalance();
  await poll('5', { isLost: true });
  expect((await poll('4')).notified).toEqual([USER]);
  expect(new Set(added.map(({ id }) => id)).size).toBe(1);
});

test('ignores another account’s balance and keeps what it knows', async () => {
  const { poll } = openBalance();
  await poll('5');
  expect(await poll('50', { account: ACCOUNT + 1 })).toEqual({ notified: [], hasChanged: false });
  expect((await poll('5')).notified).toEqual([]);
});

test('reports a changed balance even if no user is notified', async () => {
  const { poll } = openBalance();
  await poll('1000');
  expect(await poll('1000')).toEqual({ notified: [], hasChanged: false });
  expect(await poll('990')).toEqual({ notified: [], hasChanged: true });
});

test.each([
  ['a holder has set a threshold', { [USER]: undefined, [OTHER]: '10' }, true],
  ['no holder has set a threshold', { [USER]: undefined }, false],
  ['the account has no holder', {}, false],
])('returns whether polling is wanted if %s', async (_, thresholds, isNeeded) => {
  expect(await openBalance(thresholds).balance.isNeeded?.(ACCOUNT)).toBe(isNeeded);
});

test('does not notify and keeps its state if the service does not respond', async () => {
  const { rental, balance, added } = openBalance();
  rental.profile.mockResolvedValueOnce(OFFLINE);
  const outcome = await balance.poll(rental, API_KEY, {
    account: ACCOUNT,
    since: 0,
    polledAt: 0,
    knownItems: [],
  });
  expect([outcome, added]).toEqual([OFFLINE, []]);
});

test('notifies admins once when the operator account falls below its threshold, until it recovers', async () => {
  const alert: { threshold?: string | undefined } = { threshold: '100' };
  const { poll, toAdmins, balance } = openBalance({}, alert);
  expect(await balance.isNeeded?.(ACCOUNT)).toBe(true);
  for (const trx of ['100', '99.999999', '50', '100', '80']) await poll(trx);
  expect([...toAdmins].map((alert) => alert.split(' ')[0])).toEqual(['99.999999', '80']);
  alert.threshold = undefined;
  await poll('1');
  expect(await balance.isNeeded?.(ACCOUNT)).toBe(false);
  expect(toAdmins.size).toBe(2);
});

test('polls within ten minutes while admins have set a threshold', async () => {
  const { balance, rental } = openBalance({}, { threshold: '100' });
  rental.profile.mockResolvedValue(profileOf('500.00', ACCOUNT));
  const outcome = await balance.poll(rental, API_KEY, {
    account: ACCOUNT,
    since: 0,
    polledAt: 0,
    knownItems: [],
  });
  expect(outcome).toMatchObject({ value: { maxIntervalMs: 600_000 } });
});
