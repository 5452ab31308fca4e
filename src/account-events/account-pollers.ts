import { createHash } from 'node:crypto';
import { BigNumber } from 'bignumber.js';
import type { Links } from '../accounts/links.ts';
import type { NoticeSettings } from '../accounts/notice-settings.ts';
import type { Operator, OperatorLimits } from '../accounts/operator.ts';
import type { EventHooks } from '../accounts/webhook-subscriptions.ts';
import type { TellAdmins } from '../notifications/admin-alerts.ts';
import type { Tally } from '../notifications/metrics.ts';
import type { TellHolders } from '../notifications/notify-holders.ts';
import type { Outbox } from '../notifications/outbox.ts';
import type { Operations } from '../operations/operations.ts';
import type { DepositRecord, WebhookLogEntry, Withdrawal } from '../rental-api/schemas.ts';
import { type RentalEvent, readLoggedEvent } from '../rental-api/webhook.ts';
import type { EventType } from './event.ts';
import { type Inbox, KNOWN_MS } from './inbox.ts';
import { isSince, type Look, type LookedBefore, SKEW_MS, unknownOf } from './poll-schedule.ts';

interface WithStatus {
  id?: number | undefined;
  status: string;
  created_at?: string | undefined;
}

/**
 * Returns the new items of a list whose items change their status. Names contain item and status, so that an item is
 * new again after each change.
 */
function newsByStatus<Item extends WithStatus>(
  items: readonly Item[],
  {
    identityOf,
    isNamed = () => true,
    statuses,
  }: {
    identityOf: (item: Item) => string;
    /** Returns whether an item can be identified. Two items that can't may look the same. */
    isNamed?: (item: Item) => boolean;
    /** Statuses that cause a notification. The meaning of others isn't known. */
    statuses: readonly string[];
  },
  before: LookedBefore,
): { known: string[]; news: { name: string; item: Item }[] } {
  const nameOf = (item: Item) => `${identityOf(item)}:${item.status}`;
  const { known, fresh } = unknownOf(items, nameOf, before.known);
  // Items from before the link count if an earlier poll has seen them with another status.
  const wasSeen = (item: Item) =>
    before.known?.some((name) => name.startsWith(`${identityOf(item)}:`)) === true;
  // A known item doesn't become pending again: such a response is outdated.
  const isOld = (item: Item) => isNamed(item) && item.status === 'pending' && wasSeen(item);
  const news = fresh.filter(
    ({ item }) => statuses.includes(item.status) && !isOld(item) && (isSince(item, before) || wasSeen(item)),
  );
  return { known, news };
}

/** Maximum poll interval of the operator's balance while admins have set a threshold, in milliseconds. */
const OPERATOR_WITHIN_MS = 10 * 60_000;

/**
 * Creates the poller of the balance. A holder is notified once when the balance falls below their threshold, and again
 * only after it was above. For the operator's account, all admins are notified.
 */
export function createBalanceLook(deps: {
  links: Pick<Links, 'holders'>;
  noticeSettings: Pick<NoticeSettings, 'of'>;
  outbox: Pick<Outbox, 'add'>;
  operatorAlert: OperatorAlert;
}): Look {
  const { links, noticeSettings, outbox, operatorAlert } = deps;

  async function marksOf(account: number): Promise<{ user: number; mark: string }[]> {
    const holders = await links.holders(account);
    const settings = await Promise.all(holders.map(noticeSettings.of));
    return holders.flatMap((user, at) => {
      const mark = settings[at]?.lowBalance;
      return mark === undefined ? [] : [{ user, mark }];
    });
  }

  return {
    name: 'balance',
    namesAccount: true,
    isWanted: async (account) =>
      (await marksOf(account)).length > 0 || (await operatorAlert.markOf(account)) !== undefined,
    async look(rental, apiKey, { account, at, known = [] }) {
      const read = await rental.profile(apiKey);
      if (read.kind !== 'accepted') return read;
      const { id, balance_trx: balance } = read.value;
      if (id !== account) return { kind: 'accepted', value: { known, hasChanged: false } };
      const low = (await marksOf(account)).filter(({ mark }) => new BigNumber(balance).lt(mark));
      const nameOf = ({ user, mark }: { user: number; mark: string }) => `${user}:${mark}`;
      const news = low.filter((one) => !known.includes(nameOf(one)));
      for (const { user, mark } of news) {
        // If a process crashes before it stores its result, the next poll uses the same id.
        const told = `${mark}:${at}`;
        await outbox.add({ kind: 'low-balance', id: told, chat: user, account, data: { balance, mark } });
      }
      const mark = await operatorAlert.markOf(account);
      const lowToAdmins = mark !== undefined && new BigNumber(balance).lt(mark) ? [`admins:${mark}`] : [];
      const isNewToAdmins = lowToAdmins.some((one) => !known.includes(one));
      if (mark !== undefined && isNewToAdmins) await operatorAlert.tell({ balance, mark, at });
      // Any change of the balance is the expected change, even if it causes no notification.
      const seen = `=${balance}`;
      const hasChanged = news.length > 0 || isNewToAdmins || !known.includes(seen);
      return {
        kind: 'accepted',
        value: {
          known: [...low.map(nameOf), ...lowToAdmins, seen],
          hasChanged,
          ...(mark !== undefined && { withinMs: OPERATOR_WITHIN_MS }),
        },
      };
    },
  };
}

const DEPOSIT_STATUSES = ['pending', 'confirmed', 'expired'] as const;

/** Creates the poller of deposits. Holders are notified when a deposit is noticed, credited or has expired. */
export function createDepositsLook({ tellHolders }: { tellHolders: TellHolders }): Look {
  return {
    name: 'deposits',
    async look(rental, apiKey, before) {
      const read = await rental.deposits(apiKey);
      if (read.kind !== 'accepted') return read;
      const { known, news } = newsByStatus(
        read.value,
        { identityOf, isNamed, statuses: DEPOSIT_STATUSES },
        before,
      );
      for (const { name, item } of news) {
        await tellHolders(before.account, { kind: 'deposit', id: name, data: dataOf(item) });
      }
      return { kind: 'accepted', value: { known, hasChanged: news.length > 0 } };
    },
  };
}

function isNamed({ id, tx_hash: hash }: DepositRecord): boolean {
  return id !== undefined || hash !== undefined;
}

function identityOf({ id, tx_hash: hash, currency, amount, created_at: at }: DepositRecord): string {
  const fixed = JSON.stringify({ currency, amount, at });
  return String(id ?? hash ?? createHash('sha256').update(fixed).digest('base64url')).slice(0, 64);
}

function dataOf({ id, status, amount, currency, amount_trx: trx }: DepositRecord) {
  return {
    status,
    ...(id !== undefined && { id }),
    ...(amount !== undefined && { amount }),
    ...(currency !== undefined && { currency }),
    ...(trx !== undefined && { trx }),
  };
}

/** Age up to which a logged event may still be on its way to the webhook, in milliseconds. */
const UNDER_WAY_MS = 15_000;
/**
 * Minimum number of missed events after which the webhook counts as unreachable. Fewer may be a short failure. Events
 * from before the start of this process don't count.
 */
const SILENT = 3;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Entry {
  event: RentalEvent;
  at: number;
  status: number | undefined;
}

/**
 * Creates the poller of the service's webhook log. Events that never arrived are handled as if they had. Events whose
 * content is only shown once it is logged are shown now. Holders are also notified when events no longer arrive.
 */
export function createLogLook(deps: {
  hooks: Pick<EventHooks, 'since'>;
  inbox: Pick<Inbox, 'take' | 'knows'>;
  /** Read lazily, because the event types themselves use the pollers. */
  types: () => readonly EventType[];
  tellHolders: TellHolders;
  tally: Pick<Tally, 'came'>;
  /** Epoch milliseconds: start of this process. Earlier events may have been missed while it wasn't running. */
  startedAt: number;
  now: () => number;
}): Look {
  const { hooks, inbox, types, tellHolders, tally, startedAt, now } = deps;

  /** Handles a logged event. Returns whether it hadn't arrived before. */
  async function learn(account: number, { event }: Entry): Promise<boolean> {
    const isMissed = !(await inbox.knows(account, event));
    if (isMissed && (await inbox.take(account, event, 'logged')) === 'new') {
      tally.came(account, event.type, 'logged');
    }
    await types()
      .find(({ hears }) => hears(event.type))
      ?.logged?.(account, event);
    return isMissed;
  }

  /** Notifies holders if another URL received the missed events, or if the service couldn't reach the bot. */
  async function tellSilence(account: number, missed: readonly Entry[]): Promise<void> {
    const since = await hooks.since(account);
    if (since === undefined) return;
    const from = Math.max(since, startedAt) + SKEW_MS;
    const lost = missed.filter(({ at }) => at >= from);
    const taken = lost.filter(({ status = 0 }) => status >= 200 && status < 300);
    const why = taken.length > 0 ? 'elsewhere' : lost.length >= SILENT ? 'unreached' : undefined;
    if (why === undefined) return;
    await tellHolders(account, { kind: 'hook', id: `${why}:${Math.floor(now() / DAY_MS)}`, data: { why } });
  }

  return {
    name: 'log',
    async look(rental, apiKey, before) {
      const { account } = before;
      const read = await rental.webhookLogs(apiKey);
      if (read.kind !== 'accepted') return read;
      const isReported = (await hooks.since(account)) !== undefined;
      const { known, fresh } = unknownOf(read.value, ({ id }) => String(id), before.known);
      const late = fresh
        .filter(({ item }) => isSince(item, before))
        .map(({ name, item }) => ({ name, entry: entryOf(item) }))
        .filter(({ entry }) => entry.at >= now() - KNOWN_MS);
      const waiting = new Set<string>();
      const missed: Entry[] = [];
      for (const { name, entry } of late) {
        const isUnderWay = isReported && now() - entry.at < UNDER_WAY_MS;
        if (isUnderWay && !(await inbox.knows(account, entry.event))) waiting.add(name);
        else if (await learn(account, entry)) missed.push(entry);
      }
      await tellSilence(account, missed);
      return {
        kind: 'accepted',
        value: {
          known: known.filter((name) => !waiting.has(name)),
          hasChanged: late.length > waiting.size,
          ...(waiting.size > 0 && { againMs: UNDER_WAY_MS }),
        },
      };
    },
  };
}

function entryOf(entry: WebhookLogEntry): Entry {
  return {
    event: readLoggedEvent(entry),
    at: Date.parse(entry.created_at),
    status: entry.response_status ?? undefined,
  };
}

/** Alert for all admins when the balance of the operator's account is low. */
interface OperatorAlert {
  /** Returns the threshold in TRX (decimal). Returns `undefined` for other accounts, or if admins have set none. */
  markOf(account: number): Promise<string | undefined>;
  /** Notifies all admins. `at` identifies the poll: repeated calls with the same `at` notify once. */
  tell(low: { balance: string; mark: string; at: number }): Promise<unknown>;
}

export function createOperatorAlert(deps: {
  operator: Pick<Operator, 'account'>;
  operatorLimits: Pick<OperatorLimits, 'now'>;
  tellAdmins: Pick<TellAdmins, 'ofOperator'>;
}): OperatorAlert {
  const { operator, operatorLimits, tellAdmins } = deps;
  return {
    async markOf(account) {
      const { alert } = await operatorLimits.now();
      return alert !== undefined && (await operator.account()) === account ? alert : undefined;
    },
    tell: ({ balance, mark, at }) =>
      tellAdmins.ofOperator(`low:${mark}:${at}`, { what: 'low', balance, mark }),
  };
}

/** Order namespace of withdrawals. */
const NUMBERING = 'withdrawal';
const WITHDRAWAL_STATUSES = ['pending', 'completed', 'failed'];
/**
 * Age up to which a withdrawal may belong to a request whose response is still pending, in milliseconds. The response
 * then notifies its user.
 */
const FRESH_MS = 45_000;
const RETRY_DELAY_MS = 20_000;

/**
 * Creates the poller of withdrawals. It passes the status on to the user's operation, which shows it on its receipt.
 * All other holders are notified.
 */
export function createWithdrawalsLook(deps: {
  operations: Pick<Operations, 'applyListedStatus'>;
  tellHolders: TellHolders;
  now: () => number;
}): Look {
  const { operations, tellHolders, now } = deps;

  async function tell(account: number, name: string, withdrawal: Withdrawal): Promise<boolean> {
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
    const owner = await operations.applyListedStatus({ account, numbering: NUMBERING, order: id }, result);
    const isFresh = created_at !== undefined && now() - Date.parse(created_at) < FRESH_MS;
    if (owner === 'perhaps' && isFresh) return false;
    // The other account holders were notified when it was requested.
    if (typeof owner === 'number' && status === 'pending') return true;
    const news = {
      kind: 'withdrawal',
      id: name,
      data: { status, to, trx, ...(fee !== undefined && { fee }) },
    } as const;
    await tellHolders(account, news, { except: (user) => user === owner });
    return true;
  }

  return {
    name: 'withdrawals',
    async look(rental, apiKey, before) {
      const read = await rental.withdrawals(apiKey);
      if (read.kind !== 'accepted') return read;
      const identityOf = ({ id }: Withdrawal) => String(id);
      const { known, news } = newsByStatus(read.value, { identityOf, statuses: WITHDRAWAL_STATUSES }, before);
      const waiting = new Set<string>();
      for (const { name, item } of news) if (!(await tell(before.account, name, item))) waiting.add(name);
      return {
        kind: 'accepted',
        value: {
          known: known.filter((name) => !waiting.has(name)),
          hasChanged: news.length > waiting.size,
          ...(waiting.size > 0 && { againMs: RETRY_DELAY_MS }),
        },
      };
    },
  };
}

type Deps = Parameters<typeof createBalanceLook>[0] &
  Parameters<typeof createDepositsLook>[0] &
  Parameters<typeof createLogLook>[0] &
  Parameters<typeof createWithdrawalsLook>[0];

/** Returns the pollers of an account. */
export function createAccountLooks(deps: Deps): readonly Look[] {
  return [
    createDepositsLook(deps),
    createWithdrawalsLook(deps),
    createLogLook(deps),
    createBalanceLook(deps),
  ];
}
