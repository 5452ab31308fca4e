import { describe, expect, test, vi } from 'vitest';
import { createAccountPollers, MAX_ITEMS } from '../../src/account-events/account-pollers.ts';
import type { EventHandler, Inbox } from '../../src/account-events/inbox.ts';
import { POLL_KINDS, type PollKind } from '../../src/account-events/poll-state.ts';
import type { NewNotification } from '../../src/notifications/outbox.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { History } from '../../src/operations/queries.ts';
import type { ApplyListedStatus } from '../../src/operations/settle.ts';
import type { DepositRecord, WebhookLogEntry, Withdrawal } from '../../src/rental-api/schemas.ts';
import { readLoggedEvent } from '../../src/rental-api/webhook.ts';
import { START, USER } from '../operations/operations-setup.ts';
import {
  ACCOUNT,
  ADDRESS,
  API_KEY,
  accepted,
  HASH,
  logged,
  OFFLINE,
  profileOf,
  standInRental,
} from '../operations/rental-stand-in.ts';
import { DAY, depositOf, HOUR, MINUTE, SECOND, withdrawalOf } from './pollers-setup.ts';

const OTHER = USER + 1;
const HOLDERS = [USER, OTHER];

/** Opens the pollers of an account with two holders, who linked it at the start. */
function openAccountPollers({ startedAt = START } = {}) {
  const clock = { now: START };
  const rental = standInRental();
  rental.subscriptions.mockResolvedValue(accepted([]));
  const thresholds: Record<number, string | undefined> = {};
  const admins: { threshold?: string | undefined } = {};
  const activeSince = vi.fn(async (_account: number): Promise<number | undefined> => START);
  const applyListedStatus = vi.fn<ApplyListedStatus>(async () => undefined);
  const changes: Operation[] = [];
  const history = {
    async page(user, { isWanted = () => true }) {
      const operations = changes.filter((one) => one.user === user && isWanted(one));
      return { operations, unreadable: 0, older: undefined };
    },
  } as History;
  const arrived = new Set<string>();
  const inbox = {
    receive: vi.fn<Inbox['receive']>(async (_account, { id }) => {
      const isNew = !arrived.has(id);
      arrived.add(id);
      return isNew ? 'new' : 'duplicate';
    }),
    hasReceived: vi.fn<Inbox['hasReceived']>(async (_account, { id }) => arrived.has(id)),
  };
  const handleLogged = vi.fn<NonNullable<EventHandler['handleLogged']>>(async () => {});
  const eventReceived = vi.fn();
  const operatorAccountChanged = vi.fn(async (_id: string, _change: unknown) => []);
  const added: NewNotification[] = [];
  const notified: { kind: string; id: string; data: Record<string, unknown>; to: number[] }[] = [];
  const pollers = createAccountPollers({
    rental,
    links: { holders: async () => HOLDERS },
    notificationSettings: {
      async get(user) {
        const lowBalance = thresholds[user];
        return { muted: [], ...(lowBalance !== undefined && { lowBalance }) };
      },
    },
    operator: { account: async () => ACCOUNT },
    operatorLimits: {
      async get() {
        return { dailyCap: '1.00', ...(admins.threshold !== undefined && { alertBelow: admins.threshold }) };
      },
    },
    webhookSubscriptions: { activeSince },
    operations: { applyListedStatus, history },
    outbox: { add: async (notification) => void added.push(notification) },
    async notifyHolders(account, { kind, id, data }, options) {
      expect(account).toBe(ACCOUNT);
      notified.push({ kind, id, data, to: HOLDERS.filter((user) => !options?.except.includes(user)) });
    },
    adminAlerts: { operatorAccountChanged },
    eventMetrics: { eventReceived },
    inbox,
    handlers: [
      { handles: (type) => type.startsWith('order.'), handle: async () => {} },
      { handles: () => true, handle: async () => {}, handleLogged },
    ],
    startedAt,
    now: () => clock.now,
  });
  let [knownItems, polledAt]: [string[] | undefined, number] = [undefined, START];
  /** Polls a resource. `isLost`: the process dies before the poll's result is stored. */
  async function poll(kind: PollKind, { isLost = false } = {}) {
    const from = notified.length;
    const baseline = { account: ACCOUNT, since: START, polledAt, knownItems };
    const outcome = await pollers[kind].poll(API_KEY, baseline, async () => profileOf('1005.00'));
    if (outcome.kind !== 'accepted') throw new Error('the poll was not accepted');
    if (!isLost) {
      knownItems = [...outcome.value.knownItems];
      polledAt += MINUTE;
    }
    const notifications = notified.slice(from).map(({ to, id }) => ({ to, id }));
    return { ...outcome.value, notifications, ids: notifications.map(({ id }) => id) };
  }
  return {
    ...{ clock, rental, pollers, poll, notified, added, thresholds, admins, arrived, inbox, handleLogged },
    ...{ activeSince, applyListedStatus, eventReceived, operatorAccountChanged },
    changes,
    knownItems: () => knownItems ?? [],
  };
}

test.each(POLL_KINDS)('does not notify if the service does not respond to a poll of %s', async (kind) => {
  const { pollers, rental, notified, added, inbox } = openAccountPollers();
  for (const read of ['deposits', 'withdrawals', 'webhookLogs', 'profile', 'subscriptions'] as const)
    rental[read].mockResolvedValue(OFFLINE);
  const baseline = { account: ACCOUNT, since: 0, polledAt: 0, knownItems: [] };
  expect(await pollers[kind].poll(API_KEY, baseline, async () => profileOf('1005.00'))).toEqual(OFFLINE);
  expect([notified, added, inbox.receive.mock.calls]).toEqual([[], [], []]);
});

test.each(POLL_KINDS)('reports no %s of another account, or while the account is unknown', async (kind) => {
  const { pollers, rental, thresholds, notified, added, inbox } = openAccountPollers();
  rental.deposits.mockResolvedValue(accepted([depositOf(1, 'confirmed')]));
  rental.withdrawals.mockResolvedValue(accepted([withdrawalOf(1, 'completed')]));
  rental.webhookLogs.mockResolvedValue(accepted([logged(1, START)]));
  rental.profile.mockResolvedValue(profileOf('1', ACCOUNT + 1));
  thresholds[USER] = '10';
  const baseline = { account: ACCOUNT, since: 0, polledAt: 0, knownItems: [] };
  for (const outcome of [{ kind: 'other-account' } as const, OFFLINE])
    await pollers[kind].poll(API_KEY, baseline, async () => outcome);
  expect([notified, added, inbox.receive.mock.calls]).toEqual([[], [], []]);
});

describe('deposits', () => {
  function openDeposits() {
    const setup = openAccountPollers();
    /** Returns the ids of the notifications about this list. */
    async function poll(...list: DepositRecord[]) {
      setup.rental.deposits.mockResolvedValueOnce(accepted(list));
      const { ids, hasChanged } = await setup.poll('deposits');
      expect(hasChanged).toBe(ids.length > 0);
      return ids;
    }
    return { ...setup, poll };
  }
  const at = (ms: number) => ({ created_at: new Date(START + ms).toISOString() });
  const bare = (status: string): DepositRecord => ({ status });
  const bareList = (count: number) => Array.from({ length: count }, () => bare('confirmed'));

  test.each(['pending', 'confirmed', 'expired'])('causes one notification when %s', async (status) => {
    const { poll, notified } = openDeposits();
    await poll();
    expect(await poll(depositOf(1, status))).toEqual([`1:${status}`]);
    expect(await poll(depositOf(1, status))).toEqual([]);
    const balance = status === 'confirmed' ? '1005.00' : undefined;
    const data = { status, id: 1, amount: '5', currency: 'TRX' };
    expect(notified).toMatchObject([{ kind: 'deposit', data, to: HOLDERS }]);
    expect(notified[0]?.data.balance).toBe(balance);
  });

  test('cause another notification when they are credited or expire', async () => {
    const { poll } = openDeposits();
    const ended = [depositOf(1, 'confirmed'), depositOf(2, 'expired')];
    expect(await poll(depositOf(1, 'pending'), depositOf(2, 'pending'))).toEqual(['1:pending', '2:pending']);
    expect(await poll(...ended)).toEqual(['1:confirmed', '2:expired']);
    expect(await poll(...ended)).toEqual([]);
  });

  test('cause no notification in an unknown status, but in the known one after it', async () => {
    const { poll } = openDeposits();
    expect(await poll(depositOf(1, 'under review'))).toEqual([]);
    expect(await poll(depositOf(1, 'confirmed'))).toEqual(['1:confirmed']);
  });

  test('are shown with the TRX credited for USDT if the service reports it', async () => {
    const { poll, notified } = openDeposits();
    await poll(depositOf(1, 'confirmed', { currency: 'USDT', amount_trx: '15.5' }));
    expect(notified[0]?.data).toMatchObject({ amount: '5', currency: 'USDT', trx: '15.5' });
  });

  test('cause a notification at the first poll if made since the link, but not if older or undated', async () => {
    const { poll } = openDeposits();
    const deposits = [
      depositOf(1, 'confirmed', at(-DAY)),
      depositOf(2, 'confirmed', at(-MINUTE - 1)),
      depositOf(3, 'confirmed', at(-MINUTE)),
      depositOf(4, 'confirmed', at(DAY)),
      depositOf(5, 'confirmed', { created_at: undefined }),
      bare('confirmed'),
    ];
    expect(await poll(...deposits)).toEqual(['3:confirmed', '4:confirmed']);
  });

  test('from before the link cause no notification if they are listed late', async () => {
    const { poll } = openDeposits();
    await poll();
    expect(await poll(depositOf(1, 'confirmed', at(-DAY)))).toEqual([]);
  });

  test('cause a notification when credited if they were pending before the link', async () => {
    const { poll } = openDeposits();
    const pending = depositOf(11, 'pending', at(-DAY));
    expect(await poll(depositOf(1, 'pending', at(-DAY)), pending)).toEqual([]);
    expect(await poll(depositOf(1, 'confirmed', at(-DAY)), pending)).toEqual(['1:confirmed']);
  });

  test('cause no second notification after a shortened or empty list', async () => {
    const { poll } = openDeposits();
    const all = [depositOf(1, 'confirmed', at(-DAY)), depositOf(2, 'confirmed'), bare('confirmed')];
    await poll(...all);
    for (const list of [[], all.slice(0, 1), all]) expect(await poll(...list)).toEqual([]);
  });

  test.each(['confirmed', 'expired'])(
    'cause no notification as pending after an outdated response if they were %s',
    async (status) => {
      const { poll } = openDeposits();
      expect(await poll(depositOf(1, status))).toEqual([`1:${status}`]);
      expect(await poll(depositOf(1, 'pending'))).toEqual([]);
      expect(await poll(depositOf(1, status))).toEqual([]);
    },
  );

  test('cause notifications in the order of creation, whatever the order of the list', async () => {
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

  test('with nothing but a status are counted: each additional one causes a notification', async () => {
    const { poll, notified } = openDeposits();
    await poll(...bareList(2));
    expect(await poll(...bareList(2))).toEqual([]);
    expect(await poll(...bareList(3))).toHaveLength(1);
    expect(await poll(bare('pending'), ...bareList(3))).toHaveLength(1);
    expect(await poll(...bareList(4))).toHaveLength(1);
    expect(notified[0]?.data).toEqual({ status: 'confirmed', balance: '1005.00' });
  });

  test('without an id are recognized by their transaction', async () => {
    const { poll } = openDeposits();
    await poll();
    const sent = depositOf(1, 'pending', { id: undefined, tx_hash: HASH });
    expect(await poll(sent)).toEqual([`${HASH}:pending`]);
    expect(await poll({ ...sent, amount: '6' })).toEqual([]);
    expect(await poll({ ...sent, status: 'confirmed' })).toEqual([`${HASH}:confirmed`]);
  });

  test('without an id and a transaction are recognized by all their values', async () => {
    const { poll } = openDeposits();
    await poll();
    const sent = depositOf(1, 'confirmed', { id: undefined });
    expect((await poll(sent))[0]).toMatch(/^[\w-]{43}:confirmed$/);
    expect(await poll(sent, { ...sent, amount: '6' })).toHaveLength(1);
    expect(await poll(sent, sent, { ...sent, amount: '6' })).toHaveLength(1);
  });

  test.each([
    ['oldest first', (list: DepositRecord[]) => list],
    ['newest first', (list: DepositRecord[]) => list.toReversed()],
  ])('beyond the limit of a list (%s) leave one notification for each of the newest', async (_, order) => {
    const { poll, knownItems } = openDeposits();
    const list = Array.from({ length: MAX_ITEMS + 500 }, (_, n) =>
      depositOf(n + 1, 'confirmed', at((n + 1) * MINUTE)),
    );
    expect(await poll(...order(list))).toHaveLength(MAX_ITEMS);
    expect(knownItems()).toHaveLength(MAX_ITEMS);
    expect(await poll(...order(list))).toEqual([]);
    const more = [...list, depositOf(9_999, 'confirmed', at(90 * DAY))];
    expect(await poll(...order(more))).toEqual(['9999:confirmed']);
    expect(await poll(...order(more))).toEqual([]);
    expect(knownItems()).toHaveLength(MAX_ITEMS);
  });

  test('with nothing but a status are counted beyond the limit of a list', async () => {
    const { poll } = openDeposits();
    await poll(...bareList(MAX_ITEMS + 500));
    expect(await poll(...bareList(MAX_ITEMS + 500))).toEqual([]);
    expect(await poll(...bareList(MAX_ITEMS + 501))).toHaveLength(1);
    expect(await poll(...bareList(MAX_ITEMS + 501))).toEqual([]);
  });
});

/** Lists of withdrawals are compared with what is known in the same way as those of deposits. */
describe('a withdrawal', () => {
  /** `owners` maps orders to the users who made them here. */
  function openWithdrawals() {
    const setup = openAccountPollers();
    const owners = new Map<number, number | { perhaps: number[] }>();
    setup.clock.now += MINUTE;
    setup.applyListedStatus.mockImplementation(async ({ order }) => owners.get(order));
    const poll = (...list: Withdrawal[]) => {
      setup.rental.withdrawals.mockResolvedValueOnce(accepted(list));
      return setup.poll('withdrawals');
    };
    return { ...setup, owners, poll };
  }
  const toOther = (id: string) => [{ to: [OTHER], id }];

  test.each(['pending', 'completed', 'failed'])(
    'made elsewhere causes one notification for all holders when %s',
    async (status) => {
      const { poll, notified } = openWithdrawals();
      await poll();
      expect(await poll(withdrawalOf(7, status))).toMatchObject({ ids: [`7:${status}`], hasChanged: true });
      const data = { status, to: ADDRESS, trx: '12.50', fee: '1' };
      expect(notified).toEqual([{ kind: 'withdrawal', id: `7:${status}`, to: HOLDERS, data }]);
      expect(await poll(withdrawalOf(7, status))).toMatchObject({ ids: [], hasChanged: false });
    },
  );

  test.each(['completed', 'failed'])(
    'made through the bot updates its receipt when %s and notifies the other holders',
    async (status) => {
      const { poll, owners, applyListedStatus } = openWithdrawals();
      owners.set(7, USER);
      const { notifications } = await poll({ ...withdrawalOf(7, status), tx_hash: HASH });
      const order = { account: ACCOUNT, namespace: 'withdrawal', order: 7 };
      expect(applyListedStatus.mock.calls).toEqual([
        [order, { address: ADDRESS, amount: '12.50', status, txHash: HASH, at: START }],
      ]);
      expect(notifications).toEqual(toOther(`7:${status}`));
    },
  );

  test('made through the bot is reported at once, however recent it is', async () => {
    const { poll, owners, clock } = openWithdrawals();
    owners.set(7, USER);
    const { notifications, repollInMs } = await poll(withdrawalOf(7, 'completed', clock.now));
    expect([notifications, repollInMs]).toEqual([toOther('7:completed'), undefined]);
  });

  test('is reported at once if no user can have made it through the bot', async () => {
    const { poll, clock } = openWithdrawals();
    const { notifications } = await poll(withdrawalOf(7, 'completed', clock.now));
    expect(notifications).toEqual([{ to: HOLDERS, id: '7:completed' }]);
  });

  test('has no transaction while the service reports none', async () => {
    const { poll, applyListedStatus } = openWithdrawals();
    await poll({ ...withdrawalOf(7, 'failed'), tx_hash: null });
    expect(applyListedStatus.mock.calls[0]?.[1]).not.toHaveProperty('txHash');
  });

  test.each(['pending', 'completed'])(
    'is read again later if it is recent, %s and may have been made here',
    async (status) => {
      const { poll, clock, owners } = openWithdrawals();
      owners.set(7, { perhaps: [] });
      clock.now = START + 44 * SECOND;
      const postponed = { ids: [], hasChanged: false, repollInMs: 20 * SECOND };
      expect(await poll(withdrawalOf(7, status))).toMatchObject(postponed);
      owners.set(7, USER);
      clock.now += 20 * SECOND;
      const { notifications, repollInMs } = await poll(withdrawalOf(7, status));
      expect(notifications).toEqual(status === 'pending' ? [] : toOther(`7:${status}`));
      expect(repollInMs).toBeUndefined();
    },
  );

  test('is reported once it is too old to have been made here', async () => {
    const { poll, clock, owners } = openWithdrawals();
    owners.set(7, { perhaps: [] });
    clock.now = START + 44 * SECOND;
    await poll(withdrawalOf(7, 'pending'));
    clock.now += SECOND;
    const { notifications } = await poll(withdrawalOf(7, 'pending'));
    expect(notifications).toEqual([{ to: HOLDERS, id: '7:pending' }]);
  });

  test.each<[string, number | undefined, number[]]>([
    ['never, once it is known as that one', USER, []],
    ['once that one turns out to be another', undefined, [USER, OTHER]],
  ])('notifies a user whose own withdrawal may be that one %s', async (_, owner, to) => {
    const { poll, clock, owners } = openWithdrawals();
    owners.set(7, { perhaps: [USER] });
    clock.now = START + MINUTE;
    const first = await poll(withdrawalOf(7, 'pending'));
    expect(first).toMatchObject({ notifications: toOther('7:pending'), repollInMs: 20 * SECOND });
    if (owner === undefined) owners.delete(7);
    else owners.set(7, owner);
    clock.now += 20 * SECOND;
    const { notifications, repollInMs } = await poll(withdrawalOf(7, 'pending'));
    expect([notifications.flatMap((one) => one.to), repollInMs]).toEqual([to, undefined]);
  });

  test('does not delay the notification of another one while its user is unknown', async () => {
    const { poll, clock, owners } = openWithdrawals();
    owners.set(8, { perhaps: [] });
    const result = await poll(withdrawalOf(7, 'completed'), withdrawalOf(8, 'pending', clock.now));
    expect(result).toMatchObject({ ids: ['7:completed'], hasChanged: true, repollInMs: 20 * SECOND });
  });

  test('is reported by the next poll if its status could not be recorded', async () => {
    const { poll, applyListedStatus } = openWithdrawals();
    await poll();
    applyListedStatus.mockRejectedValueOnce(new Error('the storage is away'));
    await expect(poll(withdrawalOf(7, 'completed'))).rejects.toThrow('the storage is away');
    expect((await poll(withdrawalOf(7, 'completed'))).ids).toHaveLength(1);
  });
});

describe('the webhook log', () => {
  /** Returns an entry about an event that was sent `ms` after the start. */
  function entryOf(id: number, ms: number, more: Partial<WebhookLogEntry> = {}): WebhookLogEntry {
    return {
      ...{ id, event_type: 'smart_mode.transfer', payload: { transfer_id: id, address: ADDRESS } },
      ...{ response_status: 200, attempts: 1, created_at: new Date(START + ms).toISOString() },
      ...more,
    };
  }

  function openLog({ now = START + HOUR, startedAt = START, responseMs = 0 } = {}) {
    const setup = openAccountPollers({ startedAt });
    setup.clock.now = now;
    /** Returns the numbers of the transfers or orders that this poll recovered (`received`) and notified of (`notified`). */
    async function poll(...entries: WebhookLogEntry[]) {
      setup.rental.webhookLogs.mockImplementationOnce(async () => {
        setup.clock.now += responseMs;
        return accepted(entries);
      });
      setup.inbox.receive.mockClear();
      setup.handleLogged.mockClear();
      const result = await setup.poll('log');
      const numberOf = (data: Record<string, unknown>) => data.transfer_id ?? data.order_id;
      return {
        ...result,
        received: setup.inbox.receive.mock.calls.map(([, { data }]) => numberOf(data)),
        notified: setup.handleLogged.mock.calls.map(([, { data }]) => numberOf(data)),
      };
    }
    const arrive = (entry: WebhookLogEntry) => setup.arrived.add(readLoggedEvent(entry).id);
    /** Returns the reasons of the alerts, each once a day. */
    const alerts = () => {
      const byId = new Map(setup.notified.map(({ id, data }) => [id, data.why]));
      return [...byId.values()];
    };
    return { ...setup, poll, arrive, alerts };
  }

  test('recovers an event that never arrived and notifies of it', async () => {
    const { poll, inbox, eventReceived } = openLog();
    const missed = entryOf(7, MINUTE);
    expect(await poll(missed)).toMatchObject({ received: [7], notified: [7], hasChanged: true });
    expect(inbox.receive.mock.calls).toEqual([[ACCOUNT, readLoggedEvent(missed), 'log']]);
    expect(eventReceived.mock.calls).toEqual([[ACCOUNT, 'smart_mode.transfer', 'log']]);
    expect(await poll(missed)).toMatchObject({ received: [], notified: [], hasChanged: false });
  });

  test('causes a notification of an event that arrived, but does not handle it again', async () => {
    const { poll, arrive, eventReceived } = openLog({ now: START });
    arrive(entryOf(7, 0));
    expect(await poll(entryOf(7, 0))).toMatchObject({ received: [], notified: [7], hasChanged: true });
    expect(eventReceived).not.toHaveBeenCalled();
  });

  test('recovers an event that another poller notifies of, without notifying itself', async () => {
    const { poll } = openLog();
    const filled = entryOf(1, 0, { event_type: 'order.filled', payload: { order_id: 9 } });
    expect(await poll(filled)).toMatchObject({ received: [9], notified: [] });
  });

  test('counts an event once that arrives while its log entry is handled', async () => {
    const { poll, inbox, eventReceived } = openLog();
    inbox.receive.mockResolvedValueOnce('duplicate');
    await poll(entryOf(7, 0));
    expect(eventReceived).not.toHaveBeenCalled();
  });

  test('is handled in the order in which events were sent', async () => {
    const { poll } = openLog();
    const result = await poll(entryOf(9, 3 * SECOND), entryOf(5, 2 * SECOND), entryOf(7, SECOND));
    expect(result).toMatchObject({ received: [7, 5, 9], notified: [7, 5, 9] });
  });

  test('leaves an event that may still arrive for fifteen seconds', async () => {
    const { poll, clock } = openLog({ now: START + 14_999 });
    const fresh = { received: [], notified: [], hasChanged: false, repollInMs: 15 * SECOND };
    expect(await poll(entryOf(7, 0))).toMatchObject(fresh);
    clock.now += 1;
    expect(await poll(entryOf(7, 0))).toMatchObject({ received: [7], notified: [7], hasChanged: true });
  });

  test('judges the age of an event by the time of the request, not of its late response', async () => {
    const { poll, alerts } = openLog({ now: START + 2 * MINUTE, responseMs: MINUTE });
    const sent = entryOf(7, 2 * MINUTE, { response_status: 0, attempts: 0 });
    expect(await poll(sent)).toMatchObject({ received: [], repollInMs: 15 * SECOND });
    await poll({ ...sent, response_status: 200, attempts: 1 });
    expect(alerts()).toEqual(['elsewhere']);
  });

  test('causes a notification at once of a fresh event that has arrived', async () => {
    const { poll, arrive } = openLog({ now: START });
    arrive(entryOf(7, 0));
    const result = { received: [], notified: [7], hasChanged: true, repollInMs: 15 * SECOND };
    expect(await poll(entryOf(7, 0), entryOf(8, 0))).toMatchObject(result);
  });

  test('recovers a fresh event at once if no webhook is configured here', async () => {
    const { poll, activeSince } = openLog({ now: START });
    activeSince.mockResolvedValue(undefined);
    expect(await poll(entryOf(7, 0))).toMatchObject({ received: [7], notified: [7] });
  });

  test('ignores events from before the link, at the first and at later polls', async () => {
    const { poll } = openLog();
    const ignored = { received: [], notified: [], hasChanged: false };
    expect(await poll(entryOf(7, -DAY))).toMatchObject(ignored);
    expect(await poll(entryOf(7, -DAY), entryOf(6, -HOUR))).toMatchObject(ignored);
  });

  test('ignores events older than the records of received events', async () => {
    const { poll } = openLog({ now: START + 30 * DAY + MINUTE });
    expect((await poll(entryOf(7, 0), entryOf(8, 2 * MINUTE))).received).toEqual([8]);
  });

  test('is polled again as a whole after a failure, under the same notification ids', async () => {
    const { poll, handleLogged } = openLog();
    handleLogged.mockRejectedValueOnce(new Error('the storage is away'));
    await expect(poll(entryOf(7, 0), entryOf(8, SECOND))).rejects.toThrow('the storage is away');
    // The first event is known after the failed poll, but its notification was not added.
    expect(await poll(entryOf(7, 0), entryOf(8, SECOND))).toMatchObject({ received: [8], notified: [7, 8] });
  });

  describe('with missing events', () => {
    const LATER = 2 * MINUTE;

    test('causes one alert a day if the service delivers them elsewhere', async () => {
      const { poll, clock, alerts, notified } = openLog();
      await poll(entryOf(1, LATER));
      expect(notified).toMatchObject([{ kind: 'webhook-status', data: { why: 'elsewhere' } }]);
      await poll(entryOf(1, LATER), entryOf(2, 2 * LATER));
      expect(alerts()).toEqual(['elsewhere']);
      clock.now += DAY;
      await poll(entryOf(3, DAY));
      expect(alerts()).toEqual(['elsewhere', 'elsewhere']);
    });

    test.each([500, 404, undefined])(
      'causes an alert after three if the receiver responds with %s',
      async (response_status) => {
        const { poll, alerts } = openLog();
        await poll(entryOf(1, LATER, { response_status }), entryOf(2, LATER, { response_status }));
        expect(alerts()).toEqual([]);
        await poll(...[3, 4, 5].map((id) => entryOf(id, LATER, { response_status })));
        expect(alerts()).toEqual(['unreached']);
      },
    );

    test.each([
      ['while the bot was down', START + HOUR, START],
      ['before the webhook was set', START, START + HOUR],
      ['while the webhook was being set', START, START + HOUR - MINUTE],
    ])('causes no alert if they were sent %s', async (_, startedAt, subscribedAt) => {
      const { poll, alerts, activeSince } = openLog({ now: START + 2 * HOUR, startedAt });
      activeSince.mockResolvedValue(subscribedAt);
      const { received } = await poll(...[1, 2, 3].map((id) => entryOf(id, HOUR - id)));
      expect(received).toHaveLength(3);
      expect(alerts()).toEqual([]);
      await poll(entryOf(4, HOUR + MINUTE));
      expect(alerts()).toHaveLength(1);
    });

    test('causes no alert if no webhook is configured here, or if the events arrived', async () => {
      const entries = [1, 2, 3].map((id) => entryOf(id, LATER));
      const unsubscribed = openLog();
      unsubscribed.activeSince.mockResolvedValue(undefined);
      const received = openLog();
      entries.forEach(received.arrive);
      for (const { poll, alerts } of [unsubscribed, received]) {
        await poll(...entries);
        expect(alerts()).toEqual([]);
      }
    });
  });
});

describe('the balance', () => {
  function openBalance({ thresholds = {}, adminThreshold }: BalanceThresholds) {
    const setup = openAccountPollers();
    Object.assign(setup.thresholds, thresholds);
    setup.admins.threshold = adminThreshold;
    /** Returns the users whom this poll notified. */
    async function poll(trx: string, { isLost = false, account = ACCOUNT } = {}) {
      setup.rental.profile.mockResolvedValueOnce(profileOf(trx, account));
      const from = setup.added.length;
      const { hasChanged, maxIntervalMs } = await setup.poll('balance', { isLost });
      const notified = setup.added.slice(from).map((notification) => {
        expect(notification).toMatchObject({ kind: 'low-balance', account: ACCOUNT });
        return notification.chat;
      });
      return { notified, hasChanged, maxIntervalMs };
    }
    return { ...setup, poll, isNeeded: async () => setup.pollers.balance.isNeeded?.(ACCOUNT) };
  }
  interface BalanceThresholds {
    thresholds?: Record<number, string>;
    adminThreshold?: string;
  }
  const ofUser = { thresholds: { [USER]: '10' } };

  test('causes one notification when it falls below the threshold, until it recovers', async () => {
    const { poll, added } = openBalance(ofUser);
    const notified = [];
    for (const trx of ['10', '9.999999', '5', '10', '9']) notified.push((await poll(trx)).notified);
    expect(notified).toEqual([[], [USER], [], [], [USER]]);
    expect(added[0]?.data).toEqual({ balance: '9.999999', threshold: '10' });
    expect(new Set(added.map(({ id }) => id)).size).toBe(2);
  });

  test('is compared with each holder’s threshold', async () => {
    const { poll, thresholds } = openBalance({ thresholds: { [USER]: '10', [OTHER]: '100' } });
    const notified = [];
    for (const trx of ['50', '5', '50', '5']) notified.push((await poll(trx)).notified);
    expect(notified).toEqual([[OTHER], [USER], [], [USER]]);
    thresholds[OTHER] = '200';
    expect((await poll('5')).notified).toEqual([OTHER]);
  });

  test('is compared with a threshold as a decimal, not as text or float', async () => {
    const { poll } = openBalance({ thresholds: { [USER]: '9007199254740993' } });
    expect((await poll('9007199254740993.0')).notified).toEqual([]);
    expect((await poll('9007199254740992')).notified).toEqual([USER]);
  });

  test('causes a notification with the same id after a poll whose result was lost', async () => {
    const { poll, added } = openBalance(ofUser);
    await poll('5', { isLost: true });
    expect((await poll('4')).notified).toEqual([USER]);
    expect(new Set(added.map(({ id }) => id)).size).toBe(1);
  });

  test('is ignored if it is another account’s, and changes nothing that is known', async () => {
    const { poll } = openBalance(ofUser);
    await poll('5');
    expect(await poll('50', { account: ACCOUNT + 1 })).toEqual({ notified: [], hasChanged: false });
    expect((await poll('5')).notified).toEqual([]);
  });

  test('counts as changed even if no user is notified', async () => {
    const { poll } = openBalance(ofUser);
    await poll('1000');
    expect(await poll('1000')).toMatchObject({ notified: [], hasChanged: false });
    expect(await poll('990')).toMatchObject({ notified: [], hasChanged: true });
  });

  test('is needed only while a holder or the admins have set a threshold', async () => {
    expect(await openBalance({ thresholds: { [OTHER]: '10' } }).isNeeded()).toBe(true);
    expect(await openBalance({ adminThreshold: '100' }).isNeeded()).toBe(true);
    expect(await openBalance({}).isNeeded()).toBe(false);
  });

  test('causes one alert for admins below their threshold for the operator, and one when it recovers', async () => {
    const { poll, operatorAccountChanged, admins } = openBalance({ adminThreshold: '100' });
    for (const trx of ['100', '99.999999', '50', '100', '80']) await poll(trx);
    const changes = [
      { what: 'low', balance: '99.999999', threshold: '100' },
      { what: 'restored', balance: '100', threshold: '100' },
      { what: 'low', balance: '80', threshold: '100' },
    ];
    expect(operatorAccountChanged.mock.calls.map(([, change]) => change)).toEqual(changes);
    expect(new Set(operatorAccountChanged.mock.calls.map(([id]) => id)).size).toBe(3);
    admins.threshold = undefined;
    await poll('1');
    expect(operatorAccountChanged).toHaveBeenCalledTimes(3);
  });

  test('is polled within ten minutes while admins have set a threshold', async () => {
    expect((await openBalance({ adminThreshold: '100' }).poll('500')).maxIntervalMs).toBe(600_000);
    expect((await openBalance(ofUser).poll('500')).maxIntervalMs).toBeUndefined();
  });
});

describe('the subscriptions', () => {
  const subscription = (id: number, status: string) => ({
    id,
    address: ADDRESS,
    status,
    bw_guarantee: false,
  });
  const changeOf = (action: 'pause' | 'resume', claimedAt: number, state = 'done') =>
    ({
      ...{ user: OTHER, state, claimedAt },
      request: { kind: 'smart-mode', action, address: ADDRESS, subscription: 1 },
    }) as unknown as Operation;

  function openSubscriptions() {
    const setup = openAccountPollers();
    async function poll(...statuses: string[]) {
      const list = statuses.map((status, at) => subscription(at + 1, status));
      setup.rental.subscriptions.mockResolvedValueOnce(accepted(list));
      return (await setup.poll('subscriptions')).notifications;
    }
    return { ...setup, pollAgain: setup.poll, poll };
  }

  test('cause one notification of all holders when the service pauses one', async () => {
    const { poll, notified } = openSubscriptions();
    const seen = [];
    for (const status of ['active', 'paused', 'paused', 'active', 'paused']) seen.push(await poll(status));
    expect(seen.map((one) => one.map(({ to }) => to))).toEqual([[], [HOLDERS], [], [], [HOLDERS]]);
    expect(notified[0]).toMatchObject({ kind: 'smart-mode-paused', data: { address: ADDRESS } });
    expect(new Set(notified.map(({ id }) => id)).size).toBe(2);
  });

  test('cause one for a subscription that was started and paused between two polls', async () => {
    const { poll, rental, pollAgain } = openSubscriptions();
    await poll();
    const created_at = new Date(START + 2 * MINUTE).toISOString();
    rental.subscriptions.mockResolvedValueOnce(accepted([{ ...subscription(1, 'paused'), created_at }]));
    expect((await pollAgain('subscriptions')).notifications).toHaveLength(1);
  });

  test.each(['done', 'unknown', 'sent'])('cause none when a holder has paused one: %s', async (state) => {
    const { poll, changes } = openSubscriptions();
    await poll('active', 'active');
    changes.push(changeOf('pause', START, state));
    expect(await poll('paused', 'active')).toEqual([]);
  });

  test('cause one if a holder has resumed it since, or if pausing it was refused', async () => {
    for (const later of [
      [changeOf('pause', START), changeOf('resume', START + 1)].reverse(),
      [changeOf('pause', START, 'refused')],
    ]) {
      const { poll, changes } = openSubscriptions();
      changes.push(...later);
      await poll('active');
      expect(await poll('paused')).toHaveLength(1);
    }
  });

  test('are named in the notification about a low balance', async () => {
    const { poll, rental, thresholds, added } = openAccountPollers();
    thresholds[USER] = '10';
    rental.profile.mockResolvedValueOnce(profileOf('5'));
    rental.subscriptions.mockResolvedValueOnce(
      accepted([subscription(1, 'active'), subscription(2, 'paused')]),
    );
    await poll('balance');
    expect(added[0]?.data).toEqual({ balance: '5', threshold: '10', smartMode: 1 });
  });
});
