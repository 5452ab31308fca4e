import { createHash } from 'node:crypto';
import { BigNumber } from 'bignumber.js';
import type { Links } from '../accounts/links.ts';
import type { NotificationSettings } from '../accounts/notification-settings.ts';
import type { Operator, OperatorLimits } from '../accounts/operator.ts';
import type { WebhookSubscriptions } from '../accounts/webhook-subscriptions.ts';
import type { AdminAlerts } from '../notifications/admin-alerts.ts';
import type { EventMetrics } from '../notifications/event-metrics.ts';
import type { NotifyHolders } from '../notifications/notifications.ts';
import type { Outbox } from '../notifications/outbox.ts';
import { isPausedByUsers } from '../operations/kinds/smart-mode.ts';
import type { Operations } from '../operations/operations.ts';
import { DAY_MS, MINUTE_MS } from '../platform/clock.ts';
import type { AccountOutcome } from '../rental-api/account-reader.ts';
import type { Outcome, Rental } from '../rental-api/client.ts';
import type { DepositRecord, Profile, WebhookLogEntry, Withdrawal } from '../rental-api/schemas.ts';
import { type RentalEvent, readLoggedEvent } from '../rental-api/webhook.ts';
import { EVENT_TTL_MS, type EventHandler, type Inbox } from './inbox.ts';
import type { PollKind, PollResult, PollState } from './poll-state.ts';

/** Account that is polled, with the state before the poll. */
type PollBaseline = Pick<PollState, 'since' | 'polledAt' | 'knownItems'> & { account: number };

/**
 * Confirms that the key with which a list was read opens the account: `accepted` if a profile names it that was read at most
 * ten seconds ago. A poller calls it before it reports an item, after reading the list, because the key may have been
 * reassigned in between. Any other outcome is the result of the poll.
 */
type ConfirmAccount = () => Promise<AccountOutcome<Pick<Profile, 'balance_trx'>>>;

/** Poller of one resource of an account. To add one, add its kind to `POLL_KINDS` and the poller to `createAccountPollers`. */
interface AccountPoller {
  /** Returns whether any user needs the result. If not, the service isn't polled. */
  isNeeded?(account: number): Promise<boolean>;
  /** The response names its account, so the key needn't be checked. */
  namesAccount?: true;
  /** Returns whether a known item concerns no holder. It stays known after all holders have linked the account anew. */
  isForAdmins?(knownItem: string): boolean;
  /** Polls the service and sends notifications about new items. Safe to repeat: each notification is sent once. */
  poll(
    apiKey: string,
    baseline: PollBaseline,
    confirmAccount: ConfirmAccount,
  ): Promise<AccountOutcome<PollResult>>;
}

export interface AccountPollerDeps {
  rental: Pick<Rental, 'deposits' | 'withdrawals' | 'webhookLogs' | 'profile' | 'subscriptions'>;
  links: Pick<Links, 'holders'>;
  notificationSettings: Pick<NotificationSettings, 'get'>;
  operator: Pick<Operator, 'account'>;
  operatorLimits: Pick<OperatorLimits, 'get'>;
  webhookSubscriptions: Pick<WebhookSubscriptions, 'activeSince'>;
  operations: Pick<Operations, 'applyListedStatus' | 'history'>;
  outbox: Pick<Outbox, 'add'>;
  notifyHolders: NotifyHolders;
  adminAlerts: Pick<AdminAlerts, 'operatorAccountChanged'>;
  eventMetrics: Pick<EventMetrics, 'eventReceived'>;
  inbox: Pick<Inbox, 'receive' | 'hasReceived'>;
  handlers: readonly EventHandler[];
  /** Epoch milliseconds: start of this process. Earlier events may have been missed while it wasn't running. */
  startedAt: number;
  now: () => number;
}

export function createAccountPollers(deps: AccountPollerDeps): Record<PollKind, AccountPoller> {
  return {
    deposits: createDepositsPoller(deps),
    withdrawals: createWithdrawalsPoller(deps),
    log: createLogPoller(deps),
    balance: createBalancePoller(deps),
    subscriptions: createSubscriptionsPoller(deps),
  };
}

/** Maximum number of items read from a list, and of names remembered for it. */
export const MAX_ITEMS = 1_000;
/** Maximum difference between the service's clock and the local one, in milliseconds. */
const MAX_CLOCK_SKEW_MS = MINUTE_MS;

interface ListItem {
  id?: number | undefined;
  created_at?: string | undefined;
}

/**
 * Gives the newest items of a list unique names and returns the items that aren't known, oldest first. Known names stay
 * known even if the list doesn't contain them: a response may be incomplete or empty.
 */
function findNewItems<Item extends ListItem>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  knownBefore: readonly string[] = [],
): { knownItems: string[]; newItems: { name: string; item: Item }[] } {
  const timeOf = ({ created_at: at }: ListItem) => (at === undefined ? 0 : Date.parse(at));
  const counts = new Map<string, number>();
  const oldestFirst = items.toSorted((a, b) => timeOf(a) - timeOf(b) || (a.id ?? 0) - (b.id ?? 0));
  const named = oldestFirst.map((item) => {
    const name = nameOf(item);
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return { name: count === 0 ? name : `${name}#${count}`, item };
  });
  const newest = named.slice(-MAX_ITEMS);
  const listed = new Set(newest.map(({ name }) => name));
  const known = new Set(knownBefore);
  return {
    knownItems: [...listed, ...knownBefore.filter((name) => !listed.has(name))].slice(0, MAX_ITEMS),
    newItems: newest.filter(({ name }) => !known.has(name)),
  };
}

/** Returns whether an item is from after the link. Items without a date count as such from the second poll on. */
function isAfterLink({ created_at: at }: ListItem, { since, knownItems }: PollBaseline): boolean {
  return at === undefined ? knownItems !== undefined : Date.parse(at) >= since - MAX_CLOCK_SKEW_MS;
}

/**
 * Creates the poller of a list whose items change their status. Known names contain item and status, so that an item is
 * new again after each change.
 */
function createStatusPoller<Item extends ListItem & { status: string }>(list: {
  read: (apiKey: string) => Promise<Outcome<readonly Item[]>>;
  identityOf: (item: Item) => string;
  /** Returns whether an item can be identified. Two items that can't may have the same identity. */
  isIdentifiable: (item: Item) => boolean;
  /** Statuses that cause a notification. The meaning of others isn't known. */
  statuses: readonly string[];
  /**
   * Handles an item's new status. `balance`: that of the account, read after the list, in TRX (decimal). Returns `postponed`
   * if the item must be read again, after `repollInMs`.
   */
  handle: (account: number, name: string, item: Item, balance: string) => Promise<'handled' | 'postponed'>;
  repollInMs?: number;
}): AccountPoller {
  const { identityOf, isIdentifiable, statuses } = list;
  return {
    async poll(apiKey, baseline, confirmAccount) {
      const items = await list.read(apiKey);
      if (items.kind !== 'accepted') return items;
      const nameOf = (item: Item) => `${identityOf(item)}:${item.status}`;
      const { knownItems, newItems } = findNewItems(items.value, nameOf, baseline.knownItems);
      // Items from before the link count if an earlier poll has seen them with another status.
      const wasSeen = (item: Item) =>
        baseline.knownItems?.some((name) => name.startsWith(`${identityOf(item)}:`)) === true;
      // A known item doesn't become pending again: such a response is outdated.
      const isOutdated = (item: Item) => isIdentifiable(item) && item.status === 'pending' && wasSeen(item);
      const changes = newItems.filter(
        ({ item }) =>
          statuses.includes(item.status) &&
          !isOutdated(item) &&
          (isAfterLink(item, baseline) || wasSeen(item)),
      );
      const postponed = new Set<string>();
      for (const { name, item } of changes) {
        const confirmed = await confirmAccount();
        if (confirmed.kind !== 'accepted') return confirmed;
        const handled = await list.handle(baseline.account, name, item, confirmed.value.balance_trx);
        if (handled === 'postponed') postponed.add(name);
      }
      return {
        kind: 'accepted',
        value: {
          knownItems: knownItems.filter((name) => !postponed.has(name)),
          hasChanged: changes.length > postponed.size,
          repollInMs: postponed.size > 0 ? list.repollInMs : undefined,
        },
      };
    },
  };
}

/** Creates the poller of deposits. Holders are notified when a deposit is noticed, credited or has expired. */
function createDepositsPoller({ rental, notifyHolders }: AccountPollerDeps): AccountPoller {
  return createStatusPoller({
    read: rental.deposits,
    identityOf: depositIdentityOf,
    isIdentifiable: ({ id, tx_hash: hash }) => id !== undefined || hash !== undefined,
    statuses: ['pending', 'confirmed', 'expired'],
    async handle(account, name, { id, status, amount, currency, amount_trx: trx, tx_hash: txHash }, balance) {
      const data = { status, id, amount, currency, trx, txHash, ...(status === 'confirmed' && { balance }) };
      await notifyHolders(account, { kind: 'deposit', id: name, data });
      return 'handled';
    },
  });
}

function depositIdentityOf({ id, tx_hash: hash, currency, amount, created_at: at }: DepositRecord): string {
  const unchanging = JSON.stringify({ currency, amount, at });
  return String(id ?? hash ?? createHash('sha256').update(unchanging).digest('base64url')).slice(0, 64);
}

/**
 * Age up to which a withdrawal may belong to a request whose response is still pending, in milliseconds. The response
 * then notifies its user.
 */
const REQUEST_PENDING_MS = 45_000;
const OWNER_RETRY_MS = 20_000;

/**
 * Creates the poller of withdrawals. It passes the status on to the user's operation, which shows it on its receipt.
 * All other holders are notified. While the outcome of a user's own withdrawal isn't known, the user isn't notified of one
 * that it may have made.
 */
function createWithdrawalsPoller(deps: AccountPollerDeps): AccountPoller {
  const { rental, operations, notifyHolders, now } = deps;
  return createStatusPoller<Withdrawal>({
    read: rental.withdrawals,
    identityOf: ({ id }) => String(id),
    isIdentifiable: () => true,
    statuses: ['pending', 'completed', 'failed'],
    repollInMs: OWNER_RETRY_MS,
    async handle(
      account,
      name,
      { id, status, to_address: to, amount_trx: trx, fee_trx: fee, ...withdrawal },
    ) {
      const { created_at, tx_hash: txHash } = withdrawal;
      const at = created_at === undefined ? undefined : Date.parse(created_at);
      const result = { status, ...(txHash && { txHash }) };
      const order = { account, namespace: 'withdrawal', order: id };
      const entry = { address: to, amount: trx, ...result, ...(at !== undefined && { at }) };
      const owner = await operations.applyListedStatus(order, entry);
      // The withdrawal's user isn't known yet.
      const candidates = typeof owner === 'object' ? owner.perhaps : undefined;
      if (candidates && at !== undefined && now() - at < REQUEST_PENDING_MS) return 'postponed';
      // The other account holders were notified when it was requested.
      if (typeof owner === 'number' && status === 'pending') return 'handled';
      const data = { to, trx, fee, ...result };
      const except = candidates ?? (typeof owner === 'number' ? [owner] : []);
      await notifyHolders(account, { kind: 'withdrawal', id: name, data }, { except });
      // A user whose own withdrawal turns out to be another one is notified then.
      return candidates && candidates.length > 0 ? 'postponed' : 'handled';
    },
  });
}

/** Age up to which a logged event may still be on its way to the webhook, in milliseconds. */
const IN_TRANSIT_MS = 15_000;
/**
 * Minimum number of missed events after which the webhook counts as unreachable. Fewer may be a short failure. Events
 * from before the start of this process don't count.
 */
const UNREACHABLE_AFTER_EVENTS = 3;

/**
 * Creates the poller of the service's webhook log. Events that never arrived are handled as if they had. Events whose
 * content is only shown once it is logged are shown now. Holders are also notified when events no longer arrive.
 */
function createLogPoller(deps: AccountPollerDeps): AccountPoller {
  const { rental, webhookSubscriptions, inbox, handlers, notifyHolders, eventMetrics, startedAt, now } = deps;

  /** Handles a logged event. Returns whether it hadn't arrived before. */
  async function handleLogged(account: number, event: RentalEvent): Promise<boolean> {
    const isMissed = !(await inbox.hasReceived(account, event));
    if (isMissed && (await inbox.receive(account, event, 'log')) === 'new') {
      eventMetrics.eventReceived(account, event.type, 'log');
    }
    const handler = handlers.find(({ handles }) => handles(event.type));
    await handler?.handleLogged?.(account, event);
    return isMissed;
  }

  /** Notifies holders if another URL received the missed events, or if the service couldn't reach the bot. */
  async function notifyIfMissing(account: number, missed: readonly WebhookLogEntry[]): Promise<void> {
    const subscribedAt = await webhookSubscriptions.activeSince(account);
    if (subscribedAt === undefined) return;
    const from = Math.max(subscribedAt, startedAt) + MAX_CLOCK_SKEW_MS;
    const lost = missed.filter(({ created_at: at }) => Date.parse(at) >= from);
    const isElsewhere = lost.some(({ response_status: status }) => status && status >= 200 && status < 300);
    if (!isElsewhere && lost.length < UNREACHABLE_AFTER_EVENTS) return;
    const why = isElsewhere ? 'elsewhere' : 'unreached';
    const id = `${why}:${Math.floor(now() / DAY_MS)}`;
    await notifyHolders(account, { kind: 'webhook-status', id, data: { why } });
  }

  return {
    async poll(apiKey, baseline, confirmAccount) {
      const { account } = baseline;
      const readAt = now();
      const log = await rental.webhookLogs(apiKey);
      if (log.kind !== 'accepted') return log;
      const isSubscribed = (await webhookSubscriptions.activeSince(account)) !== undefined;
      const { knownItems, newItems } = findNewItems(log.value, ({ id }) => String(id), baseline.knownItems);
      // Age at the time of the request. The response may be late and say less than the service knows now.
      const ageOf = ({ created_at: at }: WebhookLogEntry) => readAt - Date.parse(at);
      const newEntries = newItems.filter(
        ({ item }) => isAfterLink(item, baseline) && ageOf(item) <= EVENT_TTL_MS,
      );
      const inTransit = new Set<string>();
      const missed: WebhookLogEntry[] = [];
      for (const { name, item } of newEntries) {
        const confirmed = await confirmAccount();
        if (confirmed.kind !== 'accepted') return confirmed;
        const event = readLoggedEvent(item);
        const mayArrive = isSubscribed && ageOf(item) < IN_TRANSIT_MS;
        if (mayArrive && !(await inbox.hasReceived(account, event))) inTransit.add(name);
        else if (await handleLogged(account, event)) missed.push(item);
      }
      await notifyIfMissing(account, missed);
      return {
        kind: 'accepted',
        value: {
          knownItems: knownItems.filter((name) => !inTransit.has(name)),
          hasChanged: newEntries.length > inTransit.size,
          repollInMs: inTransit.size > 0 ? IN_TRANSIT_MS : undefined,
        },
      };
    },
  };
}

/** Maximum poll interval of the operator's balance while admins have set a threshold, in milliseconds. */
const OPERATOR_INTERVAL_MS = 10 * MINUTE_MS;
/** Beginning of the known item that says that admins were alerted. */
const ADMINS_PREFIX = 'admins:';

/**
 * Creates the poller of the balance. A holder is notified once when the balance falls below their threshold, and again
 * only after it was above. For the operator's account, all admins are notified, also when it is above again.
 */
function createBalancePoller(deps: AccountPollerDeps): AccountPoller {
  const { rental, links, notificationSettings, outbox, operator, operatorLimits, adminAlerts } = deps;

  async function thresholdsOf(account: number): Promise<{ user: number; threshold: string }[]> {
    const holders = await links.holders(account);
    const settings = await Promise.all(holders.map(notificationSettings.get));
    return holders.flatMap((user, at) => {
      const threshold = settings[at]?.lowBalance;
      return threshold === undefined ? [] : [{ user, threshold }];
    });
  }

  async function adminThresholdOf(account: number): Promise<string | undefined> {
    const { alertBelow: threshold } = await operatorLimits.get();
    return threshold !== undefined && (await operator.account()) === account ? threshold : undefined;
  }

  /** Returns the number of active subscriptions, or `undefined` if there is none or the list can't be read. */
  async function activeSubscriptions(apiKey: string): Promise<number | undefined> {
    const listed = await rental.subscriptions(apiKey);
    const subscriptions = listed.kind === 'accepted' ? listed.value : [];
    return subscriptions.filter(({ status }) => status === 'active').length || undefined;
  }

  return {
    namesAccount: true,
    isForAdmins: (knownItem) => knownItem.startsWith(ADMINS_PREFIX),
    isNeeded: async (account) =>
      (await thresholdsOf(account)).length > 0 || (await adminThresholdOf(account)) !== undefined,
    async poll(apiKey, { account, polledAt, knownItems = [] }) {
      const profile = await rental.profile(apiKey);
      if (profile.kind !== 'accepted') return profile;
      const { id, balance_trx: balance } = profile.value;
      if (id !== account) return { kind: 'accepted', value: { knownItems, hasChanged: false } };
      const isBelow = (threshold: string) => new BigNumber(balance).lt(threshold);

      const low = (await thresholdsOf(account)).filter(({ threshold }) => isBelow(threshold));
      const nameOf = ({ user, threshold }: { user: number; threshold: string }) => `${user}:${threshold}`;
      const newlyLow = low.filter((holder) => !knownItems.includes(nameOf(holder)));
      const smartMode = newlyLow.length > 0 ? await activeSubscriptions(apiKey) : undefined;
      for (const { user, threshold } of newlyLow) {
        // If a process crashes before it stores its result, the next poll uses the same id.
        const id = `${threshold}:${polledAt}`;
        const data = { balance, threshold, ...(smartMode && { smartMode }) };
        await outbox.add({ kind: 'low-balance', id, chat: user, account, data });
      }

      const threshold = await adminThresholdOf(account);
      const adminsItem = `${ADMINS_PREFIX}${threshold}`;
      const isLowForAdmins = threshold !== undefined && isBelow(threshold);
      const isNewlyLowForAdmins = isLowForAdmins && !knownItems.includes(adminsItem);
      // A changed threshold has another item, and nothing has been restored.
      const isRestored = threshold !== undefined && !isLowForAdmins && knownItems.includes(adminsItem);
      const what = isNewlyLowForAdmins ? 'low' : isRestored ? 'restored' : undefined;
      if (what !== undefined && threshold !== undefined)
        await adminAlerts.operatorAccountChanged(`${what}:${threshold}:${polledAt}`, {
          what,
          balance,
          threshold,
        });

      // Any change of the balance is the expected change, even if it causes no notification.
      const balanceItem = `=${balance}`;
      return {
        kind: 'accepted',
        value: {
          knownItems: [...low.map(nameOf), ...(isLowForAdmins ? [adminsItem] : []), balanceItem],
          hasChanged: newlyLow.length > 0 || isNewlyLowForAdmins || !knownItems.includes(balanceItem),
          maxIntervalMs: threshold === undefined ? undefined : OPERATOR_INTERVAL_MS,
        },
      };
    },
  };
}

/**
 * Creates the poller of Smart Mode subscriptions. The service reports no changes of them. Holders are notified when an active
 * one was paused without one of them pausing it here. One that was started since the last poll was active, too.
 */
function createSubscriptionsPoller(deps: AccountPollerDeps): AccountPoller {
  const { rental, links, operations, notifyHolders } = deps;
  return {
    async poll(apiKey, { account, polledAt, knownItems }, confirmAccount) {
      const listed = await rental.subscriptions(apiKey);
      if (listed.kind !== 'accepted') return listed;
      const isNew = ({ created_at: at = '' }: ListItem) => Date.parse(at) >= polledAt;
      const newlyPaused = listed.value.filter(
        (one) =>
          one.status === 'paused' &&
          (knownItems?.includes(`${one.id}:active`) ||
            (isNew(one) && !knownItems?.includes(`${one.id}:paused`))),
      );
      for (const { id, address } of newlyPaused) {
        const confirmed = await confirmAccount();
        if (confirmed.kind !== 'accepted') return confirmed;
        if (await isPausedByUsers(operations.history, await links.holders(account), id)) continue;
        // If a process crashes before it stores its result, the next poll uses the same id.
        const data = { address, balance: confirmed.value.balance_trx };
        await notifyHolders(account, { kind: 'smart-mode-paused', id: `${id}:${polledAt}`, data });
      }
      return {
        kind: 'accepted',
        value: {
          knownItems: listed.value.slice(-MAX_ITEMS).map(({ id, status }) => `${id}:${status}`),
          hasChanged: newlyPaused.length > 0,
        },
      };
    },
  };
}
