import { createHash } from 'node:crypto';
import { BigNumber } from 'bignumber.js';
import type { Links } from '../accounts/links.ts';
import type { Operator, OperatorLimits } from '../accounts/operator.ts';
import type { NotificationSettings } from '../accounts/users.ts';
import type { WebhookSubscriptions } from '../accounts/webhook-subscriptions.ts';
import type { AdminAlerts } from '../notifications/admin-alerts.ts';
import type { EventMetrics } from '../notifications/event-metrics.ts';
import type { NotifyHolders } from '../notifications/notify-holders.ts';
import type { Outbox } from '../notifications/outbox.ts';
import type { Operations } from '../operations/operations.ts';
import type { DepositRecord, WebhookLogEntry, Withdrawal } from '../rental-api/schemas.ts';
import { type RentalEvent, readLoggedEvent } from '../rental-api/webhook.ts';
import { EVENT_TTL_MS, type EventHandler, type Inbox } from './inbox.ts';
import {
  findNewItems,
  isAfterLink,
  MAX_CLOCK_SKEW_MS,
  type PollBaseline,
  type Poller,
} from './poll-schedule.ts';

/** Returns the pollers of an account. */
export function createAccountPollers(
  deps: Parameters<typeof createBalancePoller>[0] &
    Parameters<typeof createDepositsPoller>[0] &
    Parameters<typeof createLogPoller>[0] &
    Parameters<typeof createWithdrawalsPoller>[0],
): readonly Poller[] {
  return [
    createDepositsPoller(deps),
    createWithdrawalsPoller(deps),
    createLogPoller(deps),
    createBalancePoller(deps),
  ];
}

interface ItemWithStatus {
  id?: number | undefined;
  status: string;
  created_at?: string | undefined;
}

/**
 * Returns the new items of a list whose items change their status. Names contain item and status, so that an item is
 * new again after each change.
 */
function findStatusChanges<Item extends ItemWithStatus>(
  items: readonly Item[],
  {
    identityOf,
    isIdentifiable = () => true,
    statuses,
  }: {
    identityOf: (item: Item) => string;
    /** Returns whether an item can be identified. Two items that can't may have the same identity. */
    isIdentifiable?: (item: Item) => boolean;
    /** Statuses that cause a notification. The meaning of others isn't known. */
    statuses: readonly string[];
  },
  baseline: PollBaseline,
): { knownItems: string[]; changes: { name: string; item: Item }[] } {
  const nameOf = (item: Item) => `${identityOf(item)}:${item.status}`;
  const { knownItems, newItems } = findNewItems(items, nameOf, baseline.knownItems);
  // Items from before the link count if an earlier poll has seen them with another status.
  const wasSeen = (item: Item) =>
    baseline.knownItems?.some((name) => name.startsWith(`${identityOf(item)}:`)) === true;
  // A known item doesn't become pending again: such a response is outdated.
  const isOutdated = (item: Item) => isIdentifiable(item) && item.status === 'pending' && wasSeen(item);
  const changes = newItems.filter(
    ({ item }) =>
      statuses.includes(item.status) && !isOutdated(item) && (isAfterLink(item, baseline) || wasSeen(item)),
  );
  return { knownItems, changes };
}

/** Maximum poll interval of the operator's balance while admins have set a threshold, in milliseconds. */
const OPERATOR_INTERVAL_MS = 10 * 60_000;

/**
 * Creates the poller of the balance. A holder is notified once when the balance falls below their threshold, and again
 * only after it was above. For the operator's account, all admins are notified.
 */
export function createBalancePoller(deps: {
  links: Pick<Links, 'holders'>;
  notificationSettings: Pick<NotificationSettings, 'get'>;
  outbox: Pick<Outbox, 'add'>;
  operatorAlert: OperatorAlert;
}): Poller {
  const { links, notificationSettings, outbox, operatorAlert } = deps;

  async function thresholdsOf(account: number): Promise<{ user: number; threshold: string }[]> {
    const holders = await links.holders(account);
    const settings = await Promise.all(holders.map(notificationSettings.get));
    return holders.flatMap((user, at) => {
      const threshold = settings[at]?.lowBalance;
      return threshold === undefined ? [] : [{ user, threshold }];
    });
  }

  return {
    kind: 'balance',
    namesAccount: true,
    isNeeded: async (account) =>
      (await thresholdsOf(account)).length > 0 || (await operatorAlert.thresholdOf(account)) !== undefined,
    async poll(rental, apiKey, { account, polledAt, knownItems = [] }) {
      const profile = await rental.profile(apiKey);
      if (profile.kind !== 'accepted') return profile;
      const { id, balance_trx: balance } = profile.value;
      if (id !== account) return { kind: 'accepted', value: { knownItems, hasChanged: false } };
      const isBelow = (threshold: string) => new BigNumber(balance).lt(threshold);

      const low = (await thresholdsOf(account)).filter(({ threshold }) => isBelow(threshold));
      const nameOf = ({ user, threshold }: { user: number; threshold: string }) => `${user}:${threshold}`;
      const newlyLow = low.filter((holder) => !knownItems.includes(nameOf(holder)));
      for (const { user, threshold } of newlyLow) {
        await outbox.add({
          kind: 'low-balance',
          // If a process crashes before it stores its result, the next poll uses the same id.
          id: `${threshold}:${polledAt}`,
          chat: user,
          account,
          data: { balance, threshold },
        });
      }

      const adminThreshold = await operatorAlert.thresholdOf(account);
      const isLowForAdmins = adminThreshold !== undefined && isBelow(adminThreshold);
      const adminsItem = `admins:${adminThreshold}`;
      const isNewlyLowForAdmins = isLowForAdmins && !knownItems.includes(adminsItem);
      if (isNewlyLowForAdmins)
        await operatorAlert.notifyAdmins({ balance, threshold: adminThreshold, polledAt });

      // Any change of the balance is the expected change, even if it causes no notification.
      const balanceItem = `=${balance}`;
      return {
        kind: 'accepted',
        value: {
          knownItems: [...low.map(nameOf), ...(isLowForAdmins ? [adminsItem] : []), balanceItem],
          hasChanged: newlyLow.length > 0 || isNewlyLowForAdmins || !knownItems.includes(balanceItem),
          maxIntervalMs: adminThreshold === undefined ? undefined : OPERATOR_INTERVAL_MS,
        },
      };
    },
  };
}

/** Alert for all admins when the balance of the operator's account is low. */
interface OperatorAlert {
  /** Returns the threshold in TRX (decimal). Returns `undefined` for other accounts, or if admins have set none. */
  thresholdOf(account: number): Promise<string | undefined>;
  /** Notifies all admins. Repeated calls with the same threshold and `polledAt` notify once. */
  notifyAdmins(low: { balance: string; threshold: string; polledAt: number }): Promise<unknown>;
}

export function createOperatorAlert(deps: {
  operator: Pick<Operator, 'account'>;
  operatorLimits: Pick<OperatorLimits, 'get'>;
  adminAlerts: Pick<AdminAlerts, 'operatorAccountChanged'>;
}): OperatorAlert {
  const { operator, operatorLimits, adminAlerts } = deps;
  return {
    async thresholdOf(account) {
      const { alertBelow: threshold } = await operatorLimits.get();
      return threshold !== undefined && (await operator.account()) === account ? threshold : undefined;
    },
    notifyAdmins: ({ balance, threshold, polledAt }) =>
      adminAlerts.operatorAccountChanged(`low:${threshold}:${polledAt}`, {
        what: 'low',
        balance,
        threshold,
      }),
  };
}

const DEPOSIT_STATUSES = ['pending', 'confirmed', 'expired'];

/** Creates the poller of deposits. Holders are notified when a deposit is noticed, credited or has expired. */
export function createDepositsPoller({ notifyHolders }: { notifyHolders: NotifyHolders }): Poller {
  return {
    kind: 'deposits',
    async poll(rental, apiKey, baseline) {
      const deposits = await rental.deposits(apiKey);
      if (deposits.kind !== 'accepted') return deposits;
      const { knownItems, changes } = findStatusChanges(
        deposits.value,
        {
          identityOf: depositIdentityOf,
          isIdentifiable: ({ id, tx_hash: hash }) => id !== undefined || hash !== undefined,
          statuses: DEPOSIT_STATUSES,
        },
        baseline,
      );
      for (const { name, item } of changes) {
        await notifyHolders(baseline.account, { kind: 'deposit', id: name, data: depositDataOf(item) });
      }
      return { kind: 'accepted', value: { knownItems, hasChanged: changes.length > 0 } };
    },
  };
}

function depositIdentityOf({ id, tx_hash: hash, currency, amount, created_at: at }: DepositRecord): string {
  const unchanging = JSON.stringify({ currency, amount, at });
  return String(id ?? hash ?? createHash('sha256').update(unchanging).digest('base64url')).slice(0, 64);
}

function depositDataOf({ id, status, amount, currency, amount_trx: trx }: DepositRecord) {
  return {
    status,
    ...(id !== undefined && { id }),
    ...(amount !== undefined && { amount }),
    ...(currency !== undefined && { currency }),
    ...(trx !== undefined && { trx }),
  };
}

/** Age up to which a logged event may still be on its way to the webhook, in milliseconds. */
const IN_TRANSIT_MS = 15_000;
/**
 * Minimum number of missed events after which the webhook counts as unreachable. Fewer may be a short failure. Events
 * from before the start of this process don't count.
 */
const UNREACHABLE_AFTER_EVENTS = 3;
const DAY_MS = 24 * 3_600_000;

interface LoggedEvent {
  event: RentalEvent;
  /** Epoch milliseconds. */
  sentAt: number;
  /** HTTP status of the receiver's response. */
  responseStatus: number | undefined;
}

/**
 * Creates the poller of the service's webhook log. Events that never arrived are handled as if they had. Events whose
 * content is only shown once it is logged are shown now. Holders are also notified when events no longer arrive.
 */
export function createLogPoller(deps: {
  webhookSubscriptions: Pick<WebhookSubscriptions, 'activeSince'>;
  inbox: Pick<Inbox, 'receive' | 'hasReceived'>;
  /** Called lazily, because the event handlers themselves use the pollers. */
  handlers: () => readonly EventHandler[];
  notifyHolders: NotifyHolders;
  eventMetrics: Pick<EventMetrics, 'eventReceived'>;
  /** Epoch milliseconds: start of this process. Earlier events may have been missed while it wasn't running. */
  startedAt: number;
  now: () => number;
}): Poller {
  const { webhookSubscriptions, inbox, handlers, notifyHolders, eventMetrics, startedAt, now } = deps;

  /** Handles a logged event. Returns whether it hadn't arrived before. */
  async function handleLogged(account: number, event: RentalEvent): Promise<boolean> {
    const isMissed = !(await inbox.hasReceived(account, event));
    if (isMissed && (await inbox.receive(account, event, 'log')) === 'new') {
      eventMetrics.eventReceived(account, event.type, 'log');
    }
    const handler = handlers().find(({ handles }) => handles(event.type));
    await handler?.handleLogged?.(account, event);
    return isMissed;
  }

  /** Notifies holders if another URL received the missed events, or if the service couldn't reach the bot. */
  async function notifyIfMissing(account: number, missed: readonly LoggedEvent[]): Promise<void> {
    const subscribedAt = await webhookSubscriptions.activeSince(account);
    if (subscribedAt === undefined) return;
    const from = Math.max(subscribedAt, startedAt) + MAX_CLOCK_SKEW_MS;
    const lost = missed.filter(({ sentAt }) => sentAt >= from);
    const isElsewhere = lost.some(({ responseStatus = 0 }) => responseStatus >= 200 && responseStatus < 300);
    if (!isElsewhere && lost.length < UNREACHABLE_AFTER_EVENTS) return;
    const why = isElsewhere ? 'elsewhere' : 'unreached';
    await notifyHolders(account, {
      kind: 'webhook-status',
      id: `${why}:${Math.floor(now() / DAY_MS)}`,
      data: { why },
    });
  }

  return {
    kind: 'log',
    async poll(rental, apiKey, baseline) {
      const { account } = baseline;
      const log = await rental.webhookLogs(apiKey);
      if (log.kind !== 'accepted') return log;
      const isSubscribed = (await webhookSubscriptions.activeSince(account)) !== undefined;
      const { knownItems, newItems } = findNewItems(log.value, ({ id }) => String(id), baseline.knownItems);
      const newEvents = newItems
        .filter(({ item }) => isAfterLink(item, baseline))
        .map(({ name, item }) => ({ name, logged: loggedEventOf(item) }))
        .filter(({ logged }) => logged.sentAt >= now() - EVENT_TTL_MS);
      const inTransit = new Set<string>();
      const missed: LoggedEvent[] = [];
      for (const { name, logged } of newEvents) {
        const mayArrive = isSubscribed && now() - logged.sentAt < IN_TRANSIT_MS;
        if (mayArrive && !(await inbox.hasReceived(account, logged.event))) inTransit.add(name);
        else if (await handleLogged(account, logged.event)) missed.push(logged);
      }
      await notifyIfMissing(account, missed);
      return {
        kind: 'accepted',
        value: {
          knownItems: knownItems.filter((name) => !inTransit.has(name)),
          hasChanged: newEvents.length > inTransit.size,
          repollInMs: inTransit.size > 0 ? IN_TRANSIT_MS : undefined,
        },
      };
    },
  };
}

function loggedEventOf(entry: WebhookLogEntry): LoggedEvent {
  return {
    event: readLoggedEvent(entry),
    sentAt: Date.parse(entry.created_at),
    responseStatus: entry.response_status ?? undefined,
  };
}

/** Order namespace of withdrawals. */
const ORDER_NAMESPACE = 'withdrawal';
const WITHDRAWAL_STATUSES = ['pending', 'completed', 'failed'];
/**
 * Age up to which a withdrawal may belong to a request whose response is still pending, in milliseconds. The response
 * then notifies its user.
 */
const REQUEST_PENDING_MS = 45_000;
const OWNER_RETRY_MS = 20_000;

/**
 * Creates the poller of withdrawals. It passes the status on to the user's operation, which shows it on its receipt.
 * All other holders are notified.
 */
export function createWithdrawalsPoller(deps: {
  operations: Pick<Operations, 'applyListedStatus'>;
  notifyHolders: NotifyHolders;
  now: () => number;
}): Poller {
  const { operations, notifyHolders, now } = deps;

  /** Applies a status. Returns whether that is complete; otherwise the withdrawal's user isn't known yet. */
  async function applyStatus(account: number, name: string, withdrawal: Withdrawal): Promise<boolean> {
    const {
      id,
      status,
      to_address: to,
      amount_trx: trx,
      fee_trx: fee,
      created_at,
      tx_hash: txHash,
    } = withdrawal;
    const result = { status, ...(txHash && { txHash }) };
    const owner = await operations.applyListedStatus(
      { account, namespace: ORDER_NAMESPACE, order: id },
      result,
    );
    const isRecent = created_at !== undefined && now() - Date.parse(created_at) < REQUEST_PENDING_MS;
    if (owner === 'perhaps' && isRecent) return false;
    // The other account holders were notified when it was requested.
    if (typeof owner === 'number' && status === 'pending') return true;
    const data = { status, to, trx, ...(fee !== undefined && { fee }) };
    await notifyHolders(
      account,
      { kind: 'withdrawal', id: name, data },
      { except: (user) => user === owner },
    );
    return true;
  }

  return {
    kind: 'withdrawals',
    async poll(rental, apiKey, baseline) {
      const withdrawals = await rental.withdrawals(apiKey);
      if (withdrawals.kind !== 'accepted') return withdrawals;
      const { knownItems, changes } = findStatusChanges(
        withdrawals.value,
        { identityOf: ({ id }) => String(id), statuses: WITHDRAWAL_STATUSES },
        baseline,
      );
      const postponed = new Set<string>();
      for (const { name, item } of changes) {
        const isComplete = await applyStatus(baseline.account, name, item);
        if (!isComplete) postponed.add(name);
      }
      return {
        kind: 'accepted',
        value: {
          knownItems: knownItems.filter((name) => !postponed.has(name)),
          hasChanged: changes.length > postponed.size,
          repollInMs: postponed.size > 0 ? OWNER_RETRY_MS : undefined,
        },
      };
    },
  };
}
