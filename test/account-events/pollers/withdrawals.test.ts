import { describe, expect, test, vi } from 'vitest';
import { createWithdrawalsPoller } from '../../../src/account-events/account-pollers.ts';
import type { NotifyHolders } from '../../../src/notifications/notify-holders.ts';
import type { ApplyListedStatus } from '../../../src/operations/reconcile.ts';
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
import { DAY, MINUTE, SECOND, withdrawalOf } from '../pollers-setup.ts';

const HOLDERS = [USER, USER + 1];

/**
 * Polls lists of withdrawals of an account with two holders. `owners` maps orders to the users who made them here.
 */
function openWithdrawals() {
  const rental = standInRental();
  const clock = { now: START + MINUTE };
  const owners = new Map<number, number | 'perhaps'>();
  const applyListedStatus = vi.fn<ApplyListedStatus>(async ({ order }) => owners.get(order));
  const notified: { to: number[]; id: string; data: Record<string, unknown> }[] = [];
  const notifyHolders: NotifyHolders = async (
    account,
    { kind, id, data },
    { except } = { except: () => false },
  ) => {
    expect([account, kind]).toEqual([ACCOUNT, 'withdrawal']);
    notified.push({ to: HOLDERS.filter((user) => !except(user)), id, data });
  };
  const withdrawals = createWithdrawalsPoller({
    operations: { applyListedStatus },
    notifyHolders,
    now: () => clock.now,
  });
  let knownItems: readonly string[] | undefined;
  async function poll(...list: Withdrawal[]) {
    rental.withdrawals.mockResolvedValueOnce(accepted(list));
    const from = notified.length;
    const at = { account: ACCOUNT, since: START, polledAt: START, knownItems };
    const outcome = await withdrawals.poll(rental, API_KEY, at);
    if (outcome.kind !== 'accepted') throw new Error('the poll was not accepted');
    knownItems = outcome.value.knownItems;
    const notifications = notified.slice(from).map(({ to, id }) => ({ to, id }));
    return { ...outcome.value, notifications };
  }
  return { rental, clock, owners, applyListedStatus, notified, poll, withdrawals };
}

test.each(['pending', 'completed', 'failed'])(
  'notifies all holders once of a %s withdrawal made elsewhere',
  async (status) => {
    const { poll, notified } = openWithdrawals();
    await poll();
    const { notifications, hasChanged } = await poll(withdrawalOf(7, status));
    expect([notifications, hasChanged]).toEqual([[{ to: HOLDERS, id: `7:${status}` }], true]);
    expect(notified[0]?.data).toEqual({ status, to: ADDRESS, trx: '12.50', fee: '1' });
    expect(await poll(withdrawalOf(7, status))).toMatchObject({ notifications: [], hasChanged: false });
  },
);

test('notifies again when a pending withdrawal is completed or fails', async () => {
  const { poll } = openWithdrawals();
  await poll(withdrawalOf(7, 'pending'), withdrawalOf(8, 'pending'));
  const { notifications } = await poll(withdrawalOf(7, 'completed'), withdrawalOf(8, 'failed'));
  expect(notifications.map(({ id }) => id)).toEqual(['7:completed', '8:failed']);
});

test('does not notify of an unknown status', async () => {
  const { poll, applyListedStatus } = openWithdrawals();
  expect((await poll(withdrawalOf(7, 'under review'))).notifications).toEqual([]);
  expect(applyListedStatus).not.toHaveBeenCalled();
  expect((await poll(withdrawalOf(7, 'completed'))).notifications).toHaveLength(1);
});

describe('a withdrawal made through the bot', () => {
  test.each(['completed', 'failed'])(
    'updates the receipt of its user when %s and notifies the other holders',
    async (status) => {
      const { poll, owners, applyListedStatus } = openWithdrawals();
      owners.set(7, USER);
      const { notifications } = await poll({ ...withdrawalOf(7, status), tx_hash: HASH });
      expect(applyListedStatus.mock.calls).toEqual([
        [
          { account: ACCOUNT, namespace: 'withdrawal', order: 7 },
          { status, txHash: HASH },
        ],
      ]);
      expect(notifications).toEqual([{ to: [USER + 1], id: `7:${status}` }]);
    },
  );

  test('causes no notification while it is pending', async () => {
    const { poll, owners } = openWithdrawals();
    owners.set(7, USER);
    expect((await poll(withdrawalOf(7, 'pending'))).notifications).toEqual([]);
    expect((await poll(withdrawalOf(7, 'completed'))).notifications).toEqual([
      { to: [USER + 1], id: '7:completed' },
    ]);
  });

  test('is not delayed, however recent it is', async () => {
    const { poll, owners, clock } = openWithdrawals();
    owners.set(7, USER);
    const { notifications, repollInMs } = await poll(withdrawalOf(7, 'completed', clock.now));
    expect([notifications, repollInMs]).toEqual([[{ to: [USER + 1], id: '7:completed' }], undefined]);
  });

  test('has no transaction while the service reports none', async () => {
    const { poll, applyListedStatus } = openWithdrawals();
    await poll({ ...withdrawalOf(7, 'failed'), tx_hash: null });
    expect(applyListedStatus.mock.calls[0]?.[1]).toEqual({ status: 'failed' });
  });
});

describe('a recent withdrawal that may have been made here', () => {
  test.each(['pending', 'completed'])(
    'is checked again later if %s, because its response may not have arrived yet',
    async (status) => {
      const { poll, clock, owners } = openWithdrawals();
      owners.set(7, 'perhaps');
      clock.now = START + 44 * SECOND;
      expect(await poll(withdrawalOf(7, status))).toMatchObject({
        notifications: [],
        hasChanged: false,
        repollInMs: 20 * SECOND,
      });
      owners.set(7, USER);
      clock.now += 20 * SECOND;
      const { notifications, repollInMs } = await poll(withdrawalOf(7, status));
      expect(notifications).toEqual(status === 'pending' ? [] : [{ to: [USER + 1], id: `7:${status}` }]);
      expect(repollInMs).toBeUndefined();
    },
  );

  test('is notified of once it can no longer be one made here, also after the first poll', async () => {
    const { poll, clock, owners } = openWithdrawals();
    owners.set(7, 'perhaps');
    clock.now = START + 44 * SECOND;
    await poll(withdrawalOf(7, 'pending'));
    clock.now += SECOND;
    expect((await poll(withdrawalOf(7, 'pending'))).notifications).toEqual([
      { to: HOLDERS, id: '7:pending' },
    ]);
  });

  test('does not delay the notification of another withdrawal', async () => {
    const { poll, clock, owners } = openWithdrawals();
    owners.set(8, 'perhaps');
    const fresh = withdrawalOf(8, 'pending', clock.now);
    const { notifications, hasChanged, repollInMs } = await poll(withdrawalOf(7, 'completed'), fresh);
    expect([notifications.map(({ id }) => id), hasChanged, repollInMs]).toEqual([
      ['7:completed'],
      true,
      20 * SECOND,
    ]);
  });
});

test('notifies at once of a withdrawal that no user can have made through the bot', async () => {
  const { poll, clock } = openWithdrawals();
  const { notifications } = await poll(withdrawalOf(7, 'completed', clock.now));
  expect(notifications).toEqual([{ to: HOLDERS, id: '7:completed' }]);
});

test.each(['completed', 'failed'])(
  'does not notify of a %s withdrawal as pending after an outdated response',
  async (status) => {
    const { poll } = openWithdrawals();
    await poll(withdrawalOf(7, status));
    expect((await poll(withdrawalOf(7, 'pending'))).notifications).toEqual([]);
    expect((await poll(withdrawalOf(7, status))).notifications).toEqual([]);
  },
);

describe('a withdrawal from before the link', () => {
  const OLD = START - DAY;
  test('causes no notification at the first and at later polls', async () => {
    const { poll } = openWithdrawals();
    expect((await poll(withdrawalOf(7, 'completed', OLD))).notifications).toEqual([]);
    expect(
      (await poll(withdrawalOf(7, 'completed', OLD), withdrawalOf(6, 'failed', OLD))).notifications,
    ).toEqual([]);
  });

  test('is polled until its end if it was pending then', async () => {
    const { poll } = openWithdrawals();
    await poll(withdrawalOf(7, 'pending', OLD));
    expect((await poll(withdrawalOf(7, 'completed', OLD))).notifications).toEqual([
      { to: HOLDERS, id: '7:completed' },
    ]);
  });

  test('causes no notification after a poll with an empty list', async () => {
    const { poll } = openWithdrawals();
    await poll(withdrawalOf(7, 'completed', OLD));
    await poll();
    expect((await poll(withdrawalOf(7, 'completed', OLD))).notifications).toEqual([]);
  });
});

test('repeats the poll if recording a withdrawal failed', async () => {
  const { poll, applyListedStatus } = openWithdrawals();
  await poll();
  applyListedStatus.mockRejectedValueOnce(new Error('the storage is away'));
  await expect(poll(withdrawalOf(7, 'completed'))).rejects.toThrow('the storage is away');
  expect((await poll(withdrawalOf(7, 'completed'))).notifications).toHaveLength(1);
});

test('does not notify and keeps its state if the service does not respond', async () => {
  const { rental, withdrawals, notified } = openWithdrawals();
  rental.withdrawals.mockResolvedValueOnce(OFFLINE);
  const outcome = await withdrawals.poll(rental, API_KEY, {
    account: ACCOUNT,
    since: 0,
    polledAt: 0,
    knownItems: [],
  });
  expect([outcome, notified]).toEqual([OFFLINE, []]);
});
