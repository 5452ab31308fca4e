import { describe, expect, test, vi } from 'vitest';
import { createWithdrawalsLook } from '../../../src/account-events/account-pollers.ts';
import type { TellHolders } from '../../../src/notifications/notify-holders.ts';
import type { NoteListed } from '../../../src/operations/reconcile.ts';
import type { Withdrawal } from '../../../src/rental-api/schemas.ts';
import { START, USER } from '../../operations/operations-setup.ts';
import {
  ACCOUNT,
  ADDRESS,
  API_KEY,
  accepted,
  HASH,
  OFFLINE,
  standInRental,
} from '../../operations/rental-stand-in.ts';
import { DAY, MINUTE, SECOND, withdrawalOf } from '../poller-setup.ts';

const HOLDERS = [USER, USER + 1];

/**
 * Polls lists of withdrawals of an account with two holders. `owners` maps orders to the users who made them here.
 */
function openWithdrawals() {
  const rental = standInRental();
  const clock = { now: START + MINUTE };
  const owners = new Map<number, number | 'perhaps'>();
  const applyListedStatus = vi.fn<NoteListed>(async ({ order }) => owners.get(order));
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
    operations: { applyListedStatus },
    tellHolders,
    now: () => clock.now,
  });
  let known: readonly string[] | undefined;
  async function look(...list: Withdrawal[]) {
    rental.withdrawals.mockResolvedValueOnce(accepted(list));
    const from = told.length;
    const at = { account: ACCOUNT, since: START, at: START, known };
    const found = await withdrawals.look(rental, API_KEY, at);
    if (found.kind !== 'accepted') throw new Error('it was not accepted');
    known = found.value.known;
    const news = told.slice(from).map(({ to, id }) => ({ to, id }));
    return { ...found.value, news };
  }
  return { rental, clock, owners, applyListedStatus, told, look, withdrawals };
}

test.each(['pending', 'completed', 'failed'])(
  'notifies all holders once of a %s withdrawal made elsewhere',
  async (status) => {
    const { look, told } = openWithdrawals();
    await look();
    const { news, hasChanged } = await look(withdrawalOf(7, status));
    expect([news, hasChanged]).toEqual([[{ to: HOLDERS, id: `7:${status}` }], true]);
    expect(told[0]?.data).toEqual({ status, to: ADDRESS, trx: '12.50', fee: '1' });
    expect(await look(withdrawalOf(7, status))).toMatchObject({ news: [], hasChanged: false });
  },
);

test('notifies again when a pending withdrawal is completed or fails', async () => {
  const { look } = openWithdrawals();
  await look(withdrawalOf(7, 'pending'), withdrawalOf(8, 'pending'));
  const { news } = await look(withdrawalOf(7, 'completed'), withdrawalOf(8, 'failed'));
  expect(news.map(({ id }) => id)).toEqual(['7:completed', '8:failed']);
});

test('does not notify of an unknown status', async () => {
  const { look, applyListedStatus } = openWithdrawals();
  expect((await look(withdrawalOf(7, 'under review'))).news).toEqual([]);
  expect(applyListedStatus).not.toHaveBeenCalled();
  expect((await look(withdrawalOf(7, 'completed'))).news).toHaveLength(1);
});

describe('a withdrawal made through the bot', () => {
  test.each(['completed', 'failed'])(
    'updates the receipt of its user when %s and notifies the other holders',
    async (status) => {
      const { look, owners, applyListedStatus } = openWithdrawals();
      owners.set(7, USER);
      const { news } = await look({ ...withdrawalOf(7, status), tx_hash: HASH });
      expect(applyListedStatus.mock.calls).toEqual([
        [
          { account: ACCOUNT, numbering: 'withdrawal', order: 7 },
          { status, txHash: HASH },
        ],
      ]);
      expect(news).toEqual([{ to: [USER + 1], id: `7:${status}` }]);
    },
  );

  test('causes no notification while it is pending', async () => {
    const { look, owners } = openWithdrawals();
    owners.set(7, USER);
    expect((await look(withdrawalOf(7, 'pending'))).news).toEqual([]);
    expect((await look(withdrawalOf(7, 'completed'))).news).toEqual([{ to: [USER + 1], id: '7:completed' }]);
  });

  test('is not delayed, however recent it is', async () => {
    const { look, owners, clock } = openWithdrawals();
    owners.set(7, USER);
    const { news, againMs } = await look(withdrawalOf(7, 'completed', clock.now));
    expect([news, againMs]).toEqual([[{ to: [USER + 1], id: '7:completed' }], undefined]);
  });

  test('has no transaction while the service reports none', async () => {
    const { look, applyListedStatus } = openWithdrawals();
    await look({ ...withdrawalOf(7, 'failed'), tx_hash: null });
    expect(applyListedStatus.mock.calls[0]?.[1]).toEqual({ status: 'failed' });
  });
});

describe('a recent withdrawal that may have been made here', () => {
  test.each(['pending', 'completed'])(
    'is checked again later if %s, because its response may not have arrived yet',
    async (status) => {
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
    },
  );

  test('is notified of once it can no longer be one made here, also after the first poll', async () => {
    const { look, clock, owners } = openWithdrawals();
    owners.set(7, 'perhaps');
    clock.now = START + 44 * SECOND;
    await look(withdrawalOf(7, 'pending'));
    clock.now += SECOND;
    expect((await look(withdrawalOf(7, 'pending'))).news).toEqual([{ to: HOLDERS, id: '7:pending' }]);
  });

  test('does not delay the notification of another withdrawal', async () => {
    const { look, clock, owners } = openWithdrawals();
    owners.set(8, 'perhaps');
    const fresh = withdrawalOf(8, 'pending', clock.now);
    const { news, hasChanged, againMs } = await look(withdrawalOf(7, 'completed'), fresh);
    expect([news.map(({ id }) => id), hasChanged, againMs]).toEqual([['7:completed'], true, 20 * SECOND]);
  });
});

test('notifies at once of a withdrawal that no user can have made through the bot', async () => {
  const { look, clock } = openWithdrawals();
  const { news } = await look(withdrawalOf(7, 'completed', clock.now));
  expect(news).toEqual([{ to: HOLDERS, id: '7:completed' }]);
});

test.each(['completed', 'failed'])(
  'does not notify of a %s withdrawal as pending after an outdated response',
  async (status) => {
    const { look } = openWithdrawals();
    await look(withdrawalOf(7, status));
    expect((await look(withdrawalOf(7, 'pending'))).news).toEqual([]);
    expect((await look(withdrawalOf(7, status))).news).toEqual([]);
  },
);

describe('a withdrawal from before the link', () => {
  const OLD = START - DAY;
  test('causes no notification at the first and at later polls', async () => {
    const { look } = openWithdrawals();
    expect((await look(withdrawalOf(7, 'completed', OLD))).news).toEqual([]);
    expect((await look(withdrawalOf(7, 'completed', OLD), withdrawalOf(6, 'failed', OLD))).news).toEqual([]);
  });

  test('is followed to its end if it was pending then', async () => {
    const { look } = openWithdrawals();
    await look(withdrawalOf(7, 'pending', OLD));
    expect((await look(withdrawalOf(7, 'completed', OLD))).news).toEqual([
      { to: HOLDERS, id: '7:completed' },
    ]);
  });

  test('causes no notification after a poll with an empty list', async () => {
    const { look } = openWithdrawals();
    await look(withdrawalOf(7, 'completed', OLD));
    await look();
    expect((await look(withdrawalOf(7, 'completed', OLD))).news).toEqual([]);
  });
});

test('repeats the poll if recording a withdrawal failed', async () => {
  const { look, applyListedStatus } = openWithdrawals();
  await look();
  applyListedStatus.mockRejectedValueOnce(new Error('the storage is away'));
  await expect(look(withdrawalOf(7, 'completed'))).rejects.toThrow('the storage is away');
  expect((await look(withdrawalOf(7, 'completed'))).news).toHaveLength(1);
});

test('notifies and learns nothing if the service does not respond', async () => {
  const { rental, withdrawals, told } = openWithdrawals();
  rental.withdrawals.mockResolvedValueOnce(OFFLINE);
  const found = await withdrawals.look(rental, API_KEY, { account: ACCOUNT, since: 0, at: 0, known: [] });
  expect([found, told]).toEqual([OFFLINE, []]);
});
