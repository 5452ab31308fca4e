// Read models of operations: history, last prices, daily figures, and lists of unfinished operations.

import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { DAY_MS } from '../platform/clock.ts';
import { type Contribution, createDailyFigures, defineDailyFigures } from '../platform/daily-figures.ts';
import { defineRecord, keyOf, type SignedRecords, type StoredData } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { sunOf } from '../rental-api/tron.ts';
import type { Kinds, OperationRequest, Result } from './kinds/kind.ts';
import {
  type ConfirmedOperation,
  decisionOf,
  isConfirmed,
  isInProgress,
  isUncertain,
  isUnresolved,
  nameOf,
  OPERATION_TTL_MS,
  type Operation,
  type OperationRef,
  type OperationStore,
  refOfName,
  type UnresolvedOperation,
  wasSent,
} from './operation.ts';
import { isFailed } from './order-state.ts';
import type { createRecheckSchedule } from './recovery.ts';

interface QueryDeps {
  storage: Pick<Storage, 'index'>;
  store: Pick<OperationStore, 'readable' | 'find'>;
}

/** Number of operations that are read at once. */
const READ_BATCH = 20;
/** Maximum operations that are read for one page. */
const MAX_READ = 200;

const OPERATIONS_OF_USER = {
  keys: 'operations-of-user:{user}',
  content: 'Confirmed operations of a user, for the history',
  expiry: '90 days since the latest one; older entries are removed when new ones are added',
  retained: { own: 'kept-money' },
} as const satisfies StoredData;

interface PageRequest {
  size: number;
  /** Id of the operation after which the page begins. */
  after?: string | undefined;
  kind?: string | undefined;
  /** Returns whether an operation is on the page. By default all are. */
  isWanted?: ((operation: Operation) => boolean) | undefined;
}

interface Page {
  /** Latest first. */
  operations: Operation[];
  /** Number of operations within this page whose records can't be read. */
  unreadable: number;
  /** Id of the operation after which the next page begins. `undefined` if nothing older is known. */
  older: string | undefined;
}

/** Confirmed operations of a user within the last 90 days. */
export type History = ReturnType<typeof createHistory>;

export function createHistory({ storage: { index }, store }: QueryDeps) {
  const historyKey = (user: number) => keyOf(OPERATIONS_OF_USER.keys, { user });

  /** Removes entries whose records have expired. Removes two for each added one, so that their number shrinks. */
  async function removeOld(user: number, until: number): Promise<void> {
    const old = await index.upTo(historyKey(user), until, 2);
    await Promise.all(old.map((id) => index.remove(historyKey(user), id)));
  }

  /** Returns at most `size` operations, latest first, from after the operation `after`. */
  async function readPage(
    user: number,
    { size, after, kind, isWanted = () => true }: PageRequest,
  ): Promise<Page> {
    const operations: Operation[] = [];
    let unreadable = 0;
    let last = after;
    for (let seen = 0; seen < MAX_READ; seen += READ_BATCH) {
      const ids = await (last === undefined
        ? index.last(historyKey(user), READ_BATCH)
        : index.before(historyKey(user), last, READ_BATCH));
      const found = await Promise.all(ids.map((id) => store.readable({ user, id })));
      for (const stored of found) {
        if (typeof stored === 'string') unreadable += 1;
        if (typeof stored !== 'object') continue;
        const { operation } = stored;
        if (kind !== undefined && operation.request.kind !== kind) continue;
        if (!isWanted(operation)) continue;
        // There is one more operation than fits on the page, so there is a next page.
        if (operations.length === size) return { operations, unreadable, older: operations.at(-1)?.id };
        operations.push(operation);
      }
      if (ids.length < READ_BATCH) return { operations, unreadable, older: undefined };
      last = ids.at(-1);
    }
    return { operations, unreadable, older: last };
  }

  return {
    async recordConfirmed({
      user,
      id,
      claimedAt,
    }: Pick<ConfirmedOperation, 'user' | 'id' | 'claimedAt'>): Promise<void> {
      await Promise.all([
        index.put(historyKey(user), id, claimedAt, { ttlMs: OPERATION_TTL_MS }),
        removeOld(user, claimedAt - OPERATION_TTL_MS),
      ]);
    },
    page: readPage,
    /**
     * Returns the operations that the user has confirmed since a time, on any account: at most `count`, latest first, without
     * unreadable ones. `time`: epoch milliseconds.
     */
    async since(user: number, time: number, count: number): Promise<Operation[]> {
      const recent: Operation[] = [];
      let after: string | undefined;
      do {
        const page = await readPage(user, { size: READ_BATCH, after });
        recent.push(...page.operations.filter((one) => isConfirmed(one) && one.claimedAt >= time));
        const last = page.operations.at(-1);
        after = last && isConfirmed(last) && last.claimedAt >= time ? page.older : undefined;
      } while (after !== undefined && recent.length < count);
      return recent.slice(0, count);
    },
    /** Returns whether the user has confirmed more operations than `count`. */
    hasMoreThan: async (user: number, count: number): Promise<boolean> =>
      (await index.last(historyKey(user), count + 1)).length > count,
  };
}

/** Older prices say nothing about current ones. */
const PRICE_TTL_MS = 30 * DAY_MS;

const LAST_PRICE = defineRecord({
  keys: 'last-price:account:kind:hours',
  content: 'Last price with its time, for estimates',
  schema: z.object({ amount: z.number(), price: z.string(), at: z.number() }),
  ttlMs: PRICE_TTL_MS,
  signed: false,
  retained: { elsewhere: 'kept-account' },
});

/** Last prices that an account paid, for estimates if the service names no prices. */
export type LastPrices = ReturnType<typeof createLastPrices>;

export function createLastPrices({
  records,
  kinds,
  now,
}: {
  records: SignedRecords;
  kinds: Kinds;
  now: () => number;
}) {
  const prices = records.store(LAST_PRICE);
  return {
    async record(account: number, request: OperationRequest, { price }: Result): Promise<void> {
      const priced = kinds.of(request).priced?.(request);
      if (price === undefined || priced === undefined) return;
      const { amount, hours } = priced;
      await prices.set({ account, kind: request.kind, hours }, { amount, price, at: now() });
    },
    /** Returns an estimate in proportion to the last order of the same kind and duration, with the time of that order. */
    async estimate(account: number, kind: string, { amount, hours }: { amount: number; hours: number }) {
      const last = await prices.get({ account, kind, hours });
      if (last === undefined) return undefined;
      return { trx: new BigNumber(last.price).times(amount).div(last.amount).toFixed(6), at: last.at };
    },
  };
}

/**
 * Outcomes that are counted. `failed`: an order that was charged but not delivered, as the service reports it or its probable
 * refund shows, or a withdrawal that was refunded.
 * `decided`: refused by an admin's decision, which doesn't prove that nothing was charged.
 */
export const SETTLED = ['done', 'failed', 'refused', 'decided', 'closed'] as const;

/**
 * Figures of a kind: its outcomes, and of completed operations that aren't free:
 *
 * - `sun`, `estimatedSun`: the TRX that they moved, in sun: by their prices, and by their cards if the price isn't known.
 *   What came back for one of several orders is subtracted at the order whose message announced it.
 * - `operatorSun`: how much of both admins have paid from the operator account.
 * - `unpriced`: number of those without a price or an estimate.
 * - `unclear`: number of those of which one of several may have been refunded.
 */
type OperationFigure =
  | (typeof SETTLED)[number]
  | 'sun'
  | 'estimatedSun'
  | 'operatorSun'
  | 'unpriced'
  | 'unclear';

const OPERATIONS_OF_DAY = defineDailyFigures(
  'operation-figures',
  'Operations settled on that day, by kind and outcome, and the TRX that they moved',
);

/**
 * Figures of operations by the day (UTC) on which they were settled. A corrected outcome moves from the old figure to the
 * new one. An operation that is settled again after its record was lost counts twice.
 */
export type OperationFigures = ReturnType<typeof createOperationFigures>;

export function createOperationFigures(deps: { storage: Pick<Storage, 'counters'>; kinds: Kinds }) {
  const figures = createDailyFigures(deps, OPERATIONS_OF_DAY);

  function contributionOf(operation: Operation): Contribution | undefined {
    const { state, request } = operation;
    if (state !== 'done' && state !== 'refused' && state !== 'closed') return undefined;
    const hasFailed = state === 'done' && isFailed(operation.result);
    const isDecided = state === 'refused' && decisionOf(operation) !== undefined;
    const isCharged = state === 'done' && !hasFailed && !deps.kinds.of(request).isFree?.(request);
    const named = (figure: OperationFigure) => `${request.kind}:${figure}`;
    const price = isCharged ? sunOf(operation.result.price) : undefined;
    const charged = price ?? sunOf(operation.estimate);
    const isUnclear = isCharged && operation.result.refund?.balance === 'either';
    const shared = isUnclear ? (operation.result.shared ?? []) : [];
    const sun = shared.reduce((rest, { trx }) => rest - (sunOf(trx) ?? 0), charged ?? 0);
    const charge =
      charged === undefined
        ? { [named('unpriced')]: 1 }
        : {
            [named(price === undefined ? 'estimatedSun' : 'sun')]: sun,
            ...(operation.usesOperatorAccount && { [named('operatorSun')]: sun }),
          };
    const outcome = hasFailed ? 'failed' : isDecided ? 'decided' : state;
    return {
      at: operation.settledAt,
      figures: {
        [named(outcome)]: 1,
        ...(isCharged && charge),
        ...(isUnclear && { [named('unclear')]: 1 }),
      },
    };
  }

  return {
    /** Returns the increments for a record that replaces another one, or a lost one. */
    incrementsOf: (before: Operation | undefined, after: Operation) =>
      figures.incrementsOf(before && contributionOf(before), contributionOf(after)),
    /** Returns the figures for the day that contains `at` and the days before it, `days` in all. */
    async during(at: number, days: number): Promise<(kind: string, figure: OperationFigure) => number> {
      const sums = await figures.during(at, days);
      return (kind, figure) => sums[`${kind}:${figure}`] ?? 0;
    },
  };
}

/** Number of confirmed operations without a known outcome. If `isMore`, there may be more than these. */
export interface PendingSummary {
  /** Claimed or sent operations without a reply. */
  inProgress: number;
  /** Operations with an uncertain outcome, including all that are listed as unresolved. */
  uncertain: number;
  isMore: boolean;
}

const UNRESOLVED = {
  keys: 'unresolved',
  content: 'Operations with an unknown outcome, and stuck ones, of all users',
  expiry: '90 days since the latest one; settled ones are removed',
  retained: { elsewhere: 'kept-money' },
} as const satisfies StoredData;

/** Maximum operations that are listed or counted. When an admin resolves some of them, others are listed. */
const MAX_UNRESOLVED = 200;
/** Age from which an operation without outcome counts as stuck, in milliseconds. Requests take 30 seconds at most. */
const STUCK_MS = 60_000;

interface Listed {
  /** Oldest first. */
  operations: UnresolvedOperation[];
  /** Number of listed operations whose records this version can't read. */
  unreadable: number;
  /** Whether there are more operations than listed. */
  isMore: boolean;
}

/**
 * Operations of all users whose outcome is uncertain, and those that are stuck before. The reconciler adds them a few
 * seconds after their request, so successful operations cost nothing here.
 */
export type Unresolved = ReturnType<typeof createUnresolved>;

export function createUnresolved(
  deps: QueryDeps & {
    recheckSchedule: Pick<ReturnType<typeof createRecheckSchedule>, 'scheduled'>;
    now: () => number;
  },
) {
  const { store, recheckSchedule, now } = deps;
  const { index } = deps.storage;
  async function readEntry(member: string) {
    const stored = await store.readable(refOfName(member));
    if (typeof stored === 'string') return 'unreadable';
    if (stored && isUnresolved(stored.operation)) return stored.operation;
    // Settled without an update of this list, or deleted.
    await index.remove(UNRESOLVED.keys, member);
    return undefined;
  }

  async function list(): Promise<Listed> {
    const members = await index.upTo(UNRESOLVED.keys, Number.POSITIVE_INFINITY, MAX_UNRESOLVED + 1);
    const entries = await Promise.all(members.slice(0, MAX_UNRESOLVED).map(readEntry));
    const operations = entries.filter((entry) => entry !== undefined && entry !== 'unreadable');
    const unreadable = entries.filter((entry) => entry === 'unreadable').length;
    return { operations, unreadable, isMore: members.length > MAX_UNRESOLVED };
  }

  return {
    /** Adds the operation if it is uncertain or stuck. */
    async addIfStuck(operation: UnresolvedOperation): Promise<void> {
      const at = wasSent(operation) ? operation.attempt.sentAt : operation.claimedAt;
      if (isUncertain(operation) || now() - at > STUCK_MS)
        await index.put(UNRESOLVED.keys, nameOf(operation), at, { ttlMs: OPERATION_TTL_MS });
    },
    /** Removes an operation that is settled. */
    remove: (ref: OperationRef) => index.remove(UNRESOLVED.keys, nameOf(ref)),
    list,
    /** Counts the scheduled and the unresolved operations. Needs few reads, however many there are. */
    async pendingSummary(): Promise<PendingSummary> {
      const [refs, listed] = await Promise.all([recheckSchedule.scheduled(MAX_UNRESOLVED + 1), list()]);
      const found = await Promise.all(refs.slice(0, MAX_UNRESOLVED).map(store.find));
      const operations = found.filter((operation) => operation !== undefined);
      const uncertain = [...operations, ...listed.operations].filter(isUncertain);
      return {
        inProgress: operations.filter(isInProgress).length,
        uncertain: new Set(uncertain.map(nameOf)).size + listed.unreadable,
        isMore: refs.length > MAX_UNRESOLVED || listed.isMore,
      };
    },
  };
}

/** Maximum operations that are read to count unknown outcomes. */
const MAX_UNKNOWN_READ = 50;

/** Open operations with an unknown outcome, of the 50 oldest. */
export interface UnknownOutcomes {
  count: number;
  /** Operations whose searches have ended. */
  notFound: number;
  /** The oldest one, and the time since its request in milliseconds. */
  oldest: OperationRef | undefined;
  oldestMs: number | undefined;
}

/** Creates a function that counts operations with an unknown outcome. It changes nothing. */
export function createCountUnknown({
  storage: { index, now },
  store,
}: QueryDeps & { storage: Pick<Storage, 'now'> }) {
  return async (): Promise<UnknownOutcomes> => {
    const members = await index.upTo(UNRESOLVED.keys, Number.POSITIVE_INFINITY, MAX_UNKNOWN_READ);
    const found = await Promise.all(members.map((member) => store.find(refOfName(member))));
    const unknown = found.filter((operation) => operation?.state === 'unknown');
    const [oldest] = unknown.toSorted((one, other) => one.attempt.sentAt - other.attempt.sentAt);
    return {
      count: unknown.length,
      notFound: unknown.filter(({ search }) => search?.over).length,
      oldest: oldest && { user: oldest.user, id: oldest.id },
      oldestMs: oldest && now() - oldest.attempt.sentAt,
    };
  };
}

/** Everything that this file stores. */
export const QUERY_DATA: readonly StoredData[] = [
  OPERATIONS_OF_USER,
  UNRESOLVED,
  OPERATIONS_OF_DAY,
  LAST_PRICE,
];
