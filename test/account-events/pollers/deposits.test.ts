import { describe, expect, test } from 'vitest';
import { createDepositsPoller } from '../../../src/account-events/account-pollers.ts';
import { MAX_ITEMS } from '../../../src/account-events/poll-schedule.ts';
import type { DepositRecord } from '../../../src/rental-api/schemas.ts';
import { START } from '../../operations/operations-setup.ts';
import {
  ACCOUNT,
  API_KEY,
  accepted,
  HASH,
  OFFLINE,
  standInRental,
} from '../../operations/rental-stand-in.ts';
import { DAY, depositOf, MINUTE } from '../pollers-setup.ts';

/** Polls one list of deposits after another, for an account that was linked at the start. */
function openDeposits() {
  const rental = standInRental();
  const notified: { id: string; data: Record<string, unknown> }[] = [];
  const deposits = createDepositsPoller({
    notifyHolders: async (account, { kind, id, data }) => {
      expect([account, kind]).toEqual([ACCOUNT, 'deposit']);
      notified.push({ id, data });
    },
  });
  let knownItems: readonly string[] | undefined;
  /** Returns the ids of the notifications that this poll created. */
  async function poll(...list: DepositRecord[]) {
    rental.deposits.mockResolvedValueOnce(accepted(list));
    const from = notified.length;
    const outcome = await deposits.poll(rental, API_KEY, {
      account: ACCOUNT,
      since: START,
      polledAt: START,
      knownItems,
    });
    if (outcome.kind !== 'accepted') throw new Error('the poll was not accepted');
    knownItems = outcome.value.knownItems;
    const notifications = notified.slice(from);
    expect(outcome.value.hasChanged).toBe(notifications.length > 0);
    return notifications.map(({ id }) => id);
  }
  return { rental, deposits, notified, poll, knownItems: () => knownItems ?? [] };
}

const at = (ms: number) => ({ created_at: new Date(START + ms).toISOString() });
const bare = (status: string): DepositRecord => ({ status });

test.each(['pending', 'confirmed', 'expired'])('notifies once of a deposit that is %s', async (status) => {
  const { poll, notified } = openDeposits();
  await poll();
  expect(await poll(depositOf(1, status))).toEqual([`1:${status}`]);
  expect(await poll(depositOf(1, status))).toEqual([]);
  expect(notified[0]?.data).toEqual({ status, id: 1, amount: '5', currency: 'TRX' });
});

test('notifies again when a pending deposit is credited or expires', async () => {
  const { poll } = openDeposits();
  expect(await poll(depositOf(1, 'pending'), depositOf(2, 'pending'))).toEqual(['1:pending', '2:pending']);
  expect(await poll(depositOf(1, 'confirmed'), depositOf(2, 'expired'))).toEqual([
    ...['1:confirmed', '2:expired'],
  ]);
  expect(await poll(depositOf(1, 'confirmed'), depositOf(2, 'expired'))).toEqual([]);
});

test('does not notify of an unknown status, but of the known one after it', async () => {
  const { poll } = openDeposits();
  expect(await poll(depositOf(1, 'under review'))).toEqual([]);
  expect(await poll(depositOf(1, 'confirmed'))).toEqual(['1:confirmed']);
});

test('includes the TRX credited for USDT if the service reports it', async () => {
  const { poll, notified } = openDeposits();
  await poll(depositOf(1, 'confirmed', { currency: 'USDT', amount_trx: '15.5' }));
  expect(notified[0]?.data).toMatchObject({ amount: '5', currency: 'USDT', trx: '15.5' });
});

describe('at the first poll', () => {
  test('notifies of deposits since the link, but not of older or undated ones', async () => {
    const { poll } = openDeposits();
    expect(
      await poll(
        depositOf(1, 'confirmed', at(-DAY)),
        depositOf(2, 'confirmed', at(-MINUTE - 1)),
        depositOf(3, 'confirmed', at(-MINUTE)),
        depositOf(4, 'confirmed', at(DAY)),
        depositOf(5, 'confirmed', { created_at: undefined }),
        bare('confirmed'),
      ),
    ).toEqual(['3:confirmed', '4:confirmed']);
  });

  test('notifies of every later deposit if the first list was empty', async () => {
    const { poll } = openDeposits();
    await poll();
    expect(await poll(bare('confirmed'))).toHaveLength(1);
  });
});

describe('at later polls', () => {
  test('does not notify of a deposit from before the link that is listed late', async () => {
    const { poll } = openDeposits();
    await poll();
    expect(await poll(depositOf(1, 'confirmed', at(-DAY)))).toEqual([]);
  });

  test('notifies when a deposit that was pending before the link is credited', async () => {
    const { poll } = openDeposits();
    expect(await poll(depositOf(1, 'pending', at(-DAY)), depositOf(11, 'pending', at(-DAY)))).toEqual([]);
    expect(await poll(depositOf(1, 'confirmed', at(-DAY)), depositOf(11, 'pending', at(-DAY)))).toEqual([
      ...['1:confirmed'],
    ]);
  });

  test('does not notify again after a shortened or empty list', async () => {
    const { poll } = openDeposits();
    const all = [depositOf(1, 'confirmed', at(-DAY)), depositOf(2, 'confirmed'), bare('confirmed')];
    await poll(...all);
    expect(await poll()).toEqual([]);
    expect(await poll(...all.slice(0, 1))).toEqual([]);
    expect(await poll(...all)).toEqual([]);
  });

  test('notifies in the order of creation, whatever the order of the list', async () => {
    const list = [
      depositOf(9, 'confirmed', at(0)),
      depositOf(3, 'confirmed', at(1)),
      depositOf(5, 'confirmed', at(1)),
    ];
    for (const deposits of [list, list.toReversed()]) {
      const { poll } = openDeposits();
      expect(await poll(...deposits)).toEqual(['9:confirmed', '3:confirmed', '5:confirmed']);
    }
  });
});

describe('records with nothing but a status', () => {
  test('are counted: each additional one causes a notification, at any position', async () => {
    const { poll } = openDeposits();
    await poll(bare('confirmed'), bare('confirmed'));
    expect(await poll(bare('confirmed'), bare('confirmed'))).toEqual([]);
    expect(await poll(bare('confirmed'), bare('confirmed'), bare('confirmed'))).toHaveLength(1);
    expect(await poll(bare('pending'), bare('confirmed'), bare('confirmed'), bare('confirmed'))).toHaveLength(
      1,
    );
    expect(await poll(...Array.from({ length: 4 }, () => bare('confirmed')))).toHaveLength(1);
  });

  test('are shown with their status only', async () => {
    const { poll, notified } = openDeposits();
    await poll();
    await poll(bare('confirmed'));
    expect(notified.map(({ data }) => data)).toEqual([{ status: 'confirmed' }]);
  });
});

describe('a record without an id', () => {
  test('is recognized by its transaction', async () => {
    const { poll } = openDeposits();
    await poll();
    const sent = depositOf(1, 'pending', { id: undefined, tx_hash: HASH });
    expect(await poll(sent)).toEqual([`${HASH}:pending`]);
    expect(await poll({ ...sent, amount: '6' })).toEqual([]);
    expect(await poll({ ...sent, status: 'confirmed' })).toEqual([`${HASH}:confirmed`]);
  });

  test('is recognized by all its values if it has no transaction either', async () => {
    const { poll } = openDeposits();
    await poll();
    const sent = depositOf(1, 'confirmed', { id: undefined });
    const [id] = await poll(sent);
    expect(id).toMatch(/^[\w-]{43}:confirmed$/);
    expect(await poll(sent, { ...sent, amount: '6' })).toHaveLength(1);
    expect(await poll(sent, sent, { ...sent, amount: '6' })).toHaveLength(1);
  });
});

describe('a list that is longer than the limit', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => depositOf(n + 1, 'confirmed', at((n + 1) * MINUTE)));

  test.each([
    ['oldest first', (list: DepositRecord[]) => list],
    ['newest first', (list: DepositRecord[]) => list.toReversed()],
  ])('notifies once of each of the newest records (%s)', async (_, order) => {
    const { poll, knownItems } = openDeposits();
    const list = many(MAX_ITEMS + 500);
    expect(await poll(...order(list))).toHaveLength(MAX_ITEMS);
    expect(knownItems()).toHaveLength(MAX_ITEMS);
    expect(await poll(...order(list))).toEqual([]);
    const more = depositOf(9_999, 'confirmed', at(90 * DAY));
    expect(await poll(...order([...list, more]))).toEqual(['9999:confirmed']);
    expect(await poll(...order([...list, more]))).toEqual([]);
    expect(knownItems()).toHaveLength(MAX_ITEMS);
  });

  test('counts correctly if records have nothing but a status', async () => {
    const { poll } = openDeposits();
    const list = (count: number) => Array.from({ length: count }, () => bare('confirmed'));
    await poll(...list(MAX_ITEMS + 500));
    expect(await poll(...list(MAX_ITEMS + 500))).toEqual([]);
    expect(await poll(...list(MAX_ITEMS + 501))).toHaveLength(1);
    expect(await poll(...list(MAX_ITEMS + 501))).toEqual([]);
  });
});

test('does not notify and keeps its state if the service does not respond', async () => {
  const { rental, deposits, notified } = openDeposits();
  rental.deposits.mockResolvedValueOnce(OFFLINE);
  const outcome = await deposits.poll(rental, API_KEY, {
    account: ACCOUNT,
    since: 0,
    polledAt: 0,
    knownItems: [],
  });
  expect([outcome, notified]).toEqual([OFFLINE, []]);
});

test.each(['confirmed', 'expired'])(
  'does not notify of a %s deposit as pending after an outdated response',
  async (status) => {
    const { poll } = openDeposits();
    expect(await poll(depositOf(1, status))).toEqual([`1:${status}`]);
    expect(await poll(depositOf(1, 'pending'))).toEqual([]);
    expect(await poll(depositOf(1, status))).toEqual([]);
  },
);
