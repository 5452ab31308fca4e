import { describe, expect, test } from 'vitest';
import { createDepositsLook } from '../../../src/account-events/account-pollers.ts';
import { MAX_KNOWN } from '../../../src/account-events/poll-schedule.ts';
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
import { DAY, depositOf, MINUTE } from '../poller-setup.ts';

/** Polls one list of deposits after another, for an account that was linked at the start. */
function openDeposits() {
  const rental = standInRental();
  const told: { id: string; data: Record<string, unknown> }[] = [];
  const deposits = createDepositsLook({
    tellHolders: async (account, { kind, id, data }) => {
      expect([account, kind]).toEqual([ACCOUNT, 'deposit']);
      told.push({ id, data });
    },
  });
  let known: readonly string[] | undefined;
  /** Returns the ids of the notifications that this poll created. */
  async function look(...list: DepositRecord[]) {
    rental.deposits.mockResolvedValueOnce(accepted(list));
    const from = told.length;
    const found = await deposits.look(rental, API_KEY, { account: ACCOUNT, since: START, at: START, known });
    if (found.kind !== 'accepted') throw new Error('it was not accepted');
    known = found.value.known;
    const news = told.slice(from);
    expect(found.value.hasChanged).toBe(news.length > 0);
    return news.map(({ id }) => id);
  }
  return { rental, deposits, told, look, known: () => known ?? [] };
}

const at = (ms: number) => ({ created_at: new Date(START + ms).toISOString() });
const bare = (status: string): DepositRecord => ({ status });

test.each(['pending', 'confirmed', 'expired'])('notifies once of a deposit that is %s', async (status) => {
  const { look, told } = openDeposits();
  await look();
  expect(await look(depositOf(1, status))).toEqual([`1:${status}`]);
  expect(await look(depositOf(1, status))).toEqual([]);
  expect(told[0]?.data).toEqual({ status, id: 1, amount: '5', currency: 'TRX' });
});

test('notifies again when a pending deposit is credited or expires', async () => {
  const { look } = openDeposits();
  expect(await look(depositOf(1, 'pending'), depositOf(2, 'pending'))).toEqual(['1:pending', '2:pending']);
  expect(await look(depositOf(1, 'confirmed'), depositOf(2, 'expired'))).toEqual([
    ...['1:confirmed', '2:expired'],
  ]);
  expect(await look(depositOf(1, 'confirmed'), depositOf(2, 'expired'))).toEqual([]);
});

test('does not notify of an unknown status, but of the known one after it', async () => {
  const { look } = openDeposits();
  expect(await look(depositOf(1, 'under review'))).toEqual([]);
  expect(await look(depositOf(1, 'confirmed'))).toEqual(['1:confirmed']);
});

test('includes the TRX credited for USDT if the service reports it', async () => {
  const { look, told } = openDeposits();
  await look(depositOf(1, 'confirmed', { currency: 'USDT', amount_trx: '15.5' }));
  expect(told[0]?.data).toMatchObject({ amount: '5', currency: 'USDT', trx: '15.5' });
});

describe('at the first poll', () => {
  test('notifies of deposits since the link, but not of older or undated ones', async () => {
    const { look } = openDeposits();
    expect(
      await look(
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
    const { look } = openDeposits();
    await look();
    expect(await look(bare('confirmed'))).toHaveLength(1);
  });
});

describe('at later polls', () => {
  test('does not notify of a deposit from before the link that is listed late', async () => {
    const { look } = openDeposits();
    await look();
    expect(await look(depositOf(1, 'confirmed', at(-DAY)))).toEqual([]);
  });

  test('notifies when a deposit that was pending before the link is credited', async () => {
    const { look } = openDeposits();
    expect(await look(depositOf(1, 'pending', at(-DAY)), depositOf(11, 'pending', at(-DAY)))).toEqual([]);
    expect(await look(depositOf(1, 'confirmed', at(-DAY)), depositOf(11, 'pending', at(-DAY)))).toEqual([
      ...['1:confirmed'],
    ]);
  });

  test('does not notify again after a shortened or empty list', async () => {
    const { look } = openDeposits();
    const all = [depositOf(1, 'confirmed', at(-DAY)), depositOf(2, 'confirmed'), bare('confirmed')];
    await look(...all);
    expect(await look()).toEqual([]);
    expect(await look(...all.slice(0, 1))).toEqual([]);
    expect(await look(...all)).toEqual([]);
  });

  test('notifies in the order of creation, whatever the order of the list', async () => {
    const list = [
      depositOf(9, 'confirmed', at(0)),
      depositOf(3, 'confirmed', at(1)),
      depositOf(5, 'confirmed', at(1)),
    ];
    for (const one of [list, list.toReversed()]) {
      const { look } = openDeposits();
      expect(await look(...one)).toEqual(['9:confirmed', '3:confirmed', '5:confirmed']);
    }
  });
});

describe('records with nothing but a status', () => {
  test('are counted: each additional one causes a notification, at any position', async () => {
    const { look } = openDeposits();
    await look(bare('confirmed'), bare('confirmed'));
    expect(await look(bare('confirmed'), bare('confirmed'))).toEqual([]);
    expect(await look(bare('confirmed'), bare('confirmed'), bare('confirmed'))).toHaveLength(1);
    expect(await look(bare('pending'), bare('confirmed'), bare('confirmed'), bare('confirmed'))).toHaveLength(
      1,
    );
    expect(await look(...Array.from({ length: 4 }, () => bare('confirmed')))).toHaveLength(1);
  });

  test('are shown with their status only', async () => {
    const { look, told } = openDeposits();
    await look();
    await look(bare('confirmed'));
    expect(told.map(({ data }) => data)).toEqual([{ status: 'confirmed' }]);
  });
});

describe('a record without an id', () => {
  test('is recognized by its transaction', async () => {
    const { look } = openDeposits();
    await look();
    const sent = depositOf(1, 'pending', { id: undefined, tx_hash: HASH });
    expect(await look(sent)).toEqual([`${HASH}:pending`]);
    expect(await look({ ...sent, amount: '6' })).toEqual([]);
    expect(await look({ ...sent, status: 'confirmed' })).toEqual([`${HASH}:confirmed`]);
  });

  test('is recognized by all its values if it has no transaction either', async () => {
    const { look } = openDeposits();
    await look();
    const sent = depositOf(1, 'confirmed', { id: undefined });
    const [id] = await look(sent);
    expect(id).toMatch(/^[\w-]{43}:confirmed$/);
    expect(await look(sent, { ...sent, amount: '6' })).toHaveLength(1);
    expect(await look(sent, sent, { ...sent, amount: '6' })).toHaveLength(1);
  });
});

describe('a list that is longer than the limit', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => depositOf(n + 1, 'confirmed', at((n + 1) * MINUTE)));

  test.each([
    ['oldest first', (list: DepositRecord[]) => list],
    ['newest first', (list: DepositRecord[]) => list.toReversed()],
  ])('notifies once of each of the newest records (%s)', async (_, order) => {
    const { look, known } = openDeposits();
    const list = many(MAX_KNOWN + 500);
    expect(await look(...order(list))).toHaveLength(MAX_KNOWN);
    expect(known()).toHaveLength(MAX_KNOWN);
    expect(await look(...order(list))).toEqual([]);
    const more = depositOf(9_999, 'confirmed', at(90 * DAY));
    expect(await look(...order([...list, more]))).toEqual(['9999:confirmed']);
    expect(await look(...order([...list, more]))).toEqual([]);
    expect(known()).toHaveLength(MAX_KNOWN);
  });

  test('counts correctly if records have nothing but a status', async () => {
    const { look } = openDeposits();
    const list = (count: number) => Array.from({ length: count }, () => bare('confirmed'));
    await look(...list(MAX_KNOWN + 500));
    expect(await look(...list(MAX_KNOWN + 500))).toEqual([]);
    expect(await look(...list(MAX_KNOWN + 501))).toHaveLength(1);
    expect(await look(...list(MAX_KNOWN + 501))).toEqual([]);
  });
});

test('notifies and learns nothing if the service does not respond', async () => {
  const { rental, deposits, told } = openDeposits();
  rental.deposits.mockResolvedValueOnce(OFFLINE);
  const found = await deposits.look(rental, API_KEY, { account: ACCOUNT, since: 0, at: 0, known: [] });
  expect([found, told]).toEqual([OFFLINE, []]);
});

test.each(['confirmed', 'expired'])(
  'does not notify of a %s deposit as pending after an outdated response',
  async (status) => {
    const { look } = openDeposits();
    expect(await look(depositOf(1, status))).toEqual([`1:${status}`]);
    expect(await look(depositOf(1, 'pending'))).toEqual([]);
    expect(await look(depositOf(1, status))).toEqual([]);
  },
);
