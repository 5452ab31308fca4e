import { describe, expect, test, vi } from 'vitest';
import { createWithdrawalsLook } from '../../../../src/notices/looks/account/withdrawals.ts';
import type { TellHolders } from '../../../../src/notices/tell-holders.ts';
import type { NoteListed } from '../../../../src/operations/listed.ts';
import type { Withdrawal } from '../../../../src/rental/resources/withdrawal.ts';
import {
  ACCOUNT,
  ADDRESS,
  API_KEY,
  accepted,
  HASH,
  OFFLINE,
  standInRental,
} from '../../../operations/rental-stand-in.ts';
import { START, USER } from '../../../operations/room.ts';
import { DAY, MINUTE, SECOND, withdrawalOf } from '../room.ts';

const HOLDERS = [USER, USER + 1];

/** Looks at lists of withdrawals, as an account's that two users hold since the start; `owners` by number. */
function openWithdrawals() {
  const rental = standInRental();
  const clock = { now: START + MINUTE };
  const owners = new Map<number, number | 'perhaps'>();
  const noteListed = vi.fn<NoteListed>(async ({ order }) => owners.get(order));
  const told: { to: number[]; id: string; data: Record<string, unknown> }[] = [];
  const tellHolders: TellHolders = async (
    account,
    { kind, id, data },
    { except } = { except: () => false },
  ) => {
    expect([account, kind]).toEqual([ACCOUNT, 'withdrawal']);
    told.push({ to: HOLDERS.filter((user) => !except(user)), id, data });
  };
  const withdrawals = createWithdrawalsLook({
    operations: { noteListed },
    tellHolders,
    now: () => clock.now,
  });
  let known: readonly string[] | undefined;
  async function look(...list: Withdrawal[]) {
    rental.withdrawals.mockResolvedValueOnce(accepted(list));
    const from = told.length;
    const at = { account: ACCOUNT, since: START, at: START, known };
    const found = await withdrawals.look(rental, API_KEY, at);
    if (found.kind !== 'accepted') throw new Error('it was accepted');
    known = found.value.known;
    const news = told.slice(from).map(({ to, id }) => ({ to, id }));
    return { ...found.value, news };
  }
  return { rental, clock, owners, noteListed, told, look, withdrawals };
}

test.each(['pending', 'completed', 'failed'])(
  'one that nobody here has asked for is told to all who hold the account when it is %s, once',
  async (status) => {
    const { look, told } = openWithdrawals();
    await look();
    const { news, hasChanged } = await look(withdrawalOf(7, status));
    expect([news, hasChanged]).toEqual([[{ to: HOLDERS, id: `7:${status}` }], true]);
    expect(told[0]?.data).toEqual({ status, to: ADDRESS, trx: '12.50', fee: '1' });
    expect(await look(withdrawalOf(7, status))).toMatchObject({ news: [], hasChanged: false });
  },
);

test('what was on its way and was sent, or given back, is news once more', async () => {
  const { look } = openWithdrawals();
  await look(withdrawalOf(7, 'pending'), withdrawalOf(8, 'pending'));
  const { news } = await look(withdrawalOf(7, 'completed'), withdrawalOf(8, 'failed'));
  expect(news.map(({ id }) => id)).toEqual(['7:completed', '8:failed']);
});

test('a status that nobody knows is told to nobody', async () => {
  const { look, noteListed } = openWithdrawals();
  expect((await look(withdrawalOf(7, 'under review'))).news).toEqual([]);
  expect(noteListed).not.toHaveBeenCalled();
  expect((await look(withdrawalOf(7, 'completed'))).news).toHaveLength(1);
});

describe('one that was asked for through the bot', () => {
  test.each(['completed', 'failed'])(
    'is told by its receipt as it is %s, and by a notice to others who hold the account',
    async (status) => {
      const { look, owners, noteListed } = openWithdrawals();
      owners.set(7, USER);
      const { news } = await look({ ...withdrawalOf(7, status), tx_hash: HASH });
      expect(noteListed.mock.calls).toEqual([
        [
          { account: ACCOUNT, numbering: 'withdrawal', order: 7 },
          { status, txHash: HASH },
        ],
      ]);
      expect(news).toEqual([{ to: [USER + 1], id: `7:${status}` }]);
    },
  );

  test('is told to nobody while it is on its way: they all know', async () => {
    const { look, owners } = openWithdrawals();
    owners.set(7, USER);
    expect((await look(withdrawalOf(7, 'pending'))).news).toEqual([]);
    expect((await look(withdrawalOf(7, 'completed'))).news).toEqual([{ to: [USER + 1], id: '7:completed' }]);
  });

  test('waits for nothing, however fresh it is', async () => {
    const { look, owners, clock } = openWithdrawals();
    owners.set(7, USER);
    const { news, againMs } = await look(withdrawalOf(7, 'completed', clock.now));
    expect([news, againMs]).toEqual([[{ to: [USER + 1], id: '7:completed' }], undefined]);
  });

  test('has no transaction while the service has none', async () => {
    const { look, noteListed } = openWithdrawals();
    await look({ ...withdrawalOf(7, 'failed'), tx_hash: null });
    expect(noteListed.mock.calls[0]?.[1]).toEqual({ status: 'failed' });
  });
});

describe('one that is fresh, and may be somebody’s', () => {
  test.each(['pending', 'completed'])('and %s, waits: its answer may be on its way', async (status) => {
    const { look, clock, owners } = openWithdrawals();
    owners.set(7, 'perhaps');
    clock.now = START + 44 * SECOND;
    expect(await look(withdrawalOf(7, status))).toMatchObject({
      news: [],
      hasChanged: false,
      againMs: 20 * SECOND,
    });
    owners.set(7, USER);
    clock.now += 20 * SECOND;
    const { news, againMs } = await look(withdrawalOf(7, status));
    expect(news).toEqual(status === 'pending' ? [] : [{ to: [USER + 1], id: `7:${status}` }]);
    expect(againMs).toBeUndefined();
  });

  test('is told once it is so no longer, also after its first look', async () => {
    const { look, clock, owners } = openWithdrawals();
    owners.set(7, 'perhaps');
    clock.now = START + 44 * SECOND;
    await look(withdrawalOf(7, 'pending'));
    clock.now += SECOND;
    expect((await look(withdrawalOf(7, 'pending'))).news).toEqual([{ to: HOLDERS, id: '7:pending' }]);
  });

  test('keeps no other from being told', async () => {
    const { look, clock, owners } = openWithdrawals();
    owners.set(8, 'perhaps');
    const fresh = withdrawalOf(8, 'pending', clock.now);
    const { news, hasChanged, againMs } = await look(withdrawalOf(7, 'completed'), fresh);
    expect([news.map(({ id }) => id), hasChanged, againMs]).toEqual([['7:completed'], true, 20 * SECOND]);
  });
});

test('one that nobody can have asked for through the bot is told at once', async () => {
  const { look, clock } = openWithdrawals();
  const { news } = await look(withdrawalOf(7, 'completed', clock.now));
  expect(news).toEqual([{ to: HOLDERS, id: '7:completed' }]);
});

test.each(['completed', 'failed'])(
  'what is %s is not on its way again, whatever an older answer says',
  async (status) => {
    const { look } = openWithdrawals();
    await look(withdrawalOf(7, status));
    expect((await look(withdrawalOf(7, 'pending'))).news).toEqual([]);
    expect((await look(withdrawalOf(7, status))).news).toEqual([]);
  },
);

describe('what is from before the link', () => {
  const OLD = START - DAY;
  test('is no news, at the first look and later', async () => {
    const { look } = openWithdrawals();
    expect((await look(withdrawalOf(7, 'completed', OLD))).news).toEqual([]);
    expect((await look(withdrawalOf(7, 'completed', OLD), withdrawalOf(6, 'failed', OLD))).news).toEqual([]);
  });

  test('and was on its way then, is followed to its end', async () => {
    const { look } = openWithdrawals();
    await look(withdrawalOf(7, 'pending', OLD));
    expect((await look(withdrawalOf(7, 'completed', OLD))).news).toEqual([
      { to: HOLDERS, id: '7:completed' },
    ]);
  });

  test('is no news either where the list was empty for once', async () => {
    const { look } = openWithdrawals();
    await look(withdrawalOf(7, 'completed', OLD));
    await look();
    expect((await look(withdrawalOf(7, 'completed', OLD))).news).toEqual([]);
  });
});

test('where one could not be noted, nothing is taken for known: all is done again', async () => {
  const { look, noteListed } = openWithdrawals();
  await look();
  noteListed.mockRejectedValueOnce(new Error('the storage is away'));
  await expect(look(withdrawalOf(7, 'completed'))).rejects.toThrow('the storage is away');
  expect((await look(withdrawalOf(7, 'completed'))).news).toHaveLength(1);
});

test('where the service doesn’t answer nothing is told or learned', async () => {
  const { rental, withdrawals, told } = openWithdrawals();
  rental.withdrawals.mockResolvedValueOnce(OFFLINE);
  const found = await withdrawals.look(rental, API_KEY, { account: ACCOUNT, since: 0, at: 0, known: [] });
  expect([found, told]).toEqual([OFFLINE, []]);
});
