import { BigNumber } from 'bignumber.js';
import type { AddressBook } from '../accounts/address-book.ts';
import type { AnnouncedAddresses } from '../accounts/announced-addresses.ts';
import type { Balances } from '../accounts/balances.ts';
import type { OperatorLimits } from '../accounts/operator.ts';
import type { Jobs } from '../platform/jobs.ts';
import { createLeases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import type { SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { formatTrx } from '../rental-api/amounts.ts';
import type { Rental } from '../rental-api/client.ts';
import type { OperatorInvoices } from '../rental-api/operator-invoices.ts';
import { createAttempts, createHeartbeat, type HeartbeatPace } from './attempts.ts';
import { createDecisions, type Decisions } from './confirm.ts';
import type { ContinuityWatch } from './continuity.ts';
import { createDrafts, createForgetUnconfirmed, type Drafts, type ForgetUnconfirmed } from './draft.ts';
import { createSearch } from './evidence.ts';
import { createAnnounce, createExecute } from './execute.ts';
import type { Kinds } from './kinds/kinds.ts';
import {
  createDailyCap,
  createRecentAttempts,
  type DailyCap,
  operatorSpending,
  withdrawals,
} from './limits.ts';
import {
  createDecideByHand,
  createProposals,
  type DecideByHand,
  type Proposals,
} from './manual-resolution.ts';
import { createOperationSchema, type Operation, type OperationRef, type Refusal } from './operation.ts';
import { createOrders } from './orders.ts';
import {
  type AlreadyDone,
  createAlreadyDone,
  createLocks,
  createRests,
  type PrepareDeps,
  type Rests,
} from './preflight.ts';
import {
  createHistory,
  createLastPrices,
  createSettledCounts,
  createUnderWay,
  createUnresolved,
  type History,
  type LastPrices,
  type SettledCounts,
  type UnderWay,
  type Unresolved,
} from './queries.ts';
import {
  createMissed,
  createNewsSends,
  createNotifier,
  createTellMissed,
  type Missed,
  type Show,
  type TellMissed,
} from './receipt.ts';
import { createDueIndex, createNextRecheck, type DueIndex } from './recheck-schedule.ts';
import {
  COMMIT_MS,
  createNoteListed,
  createOutcomeSearch,
  createReconciler,
  type NoteListed,
  type OutcomeSearch,
  type Reconciler,
} from './reconcile.ts';
import { createSendQueue, type SendQueue } from './send-queue.ts';
import { createSettlement, createSettleOpen, type Settlement } from './settle.ts';
import { createOperationStore, refOfKey } from './store.ts';

/** Interval in which the reconciler processes due operations, in milliseconds. */
export const RECONCILE_MS = 3_000;

export interface Operations {
  readonly kinds: Kinds;
  readonly drafts: Drafts;
  readonly decisions: Decisions;
  readonly rests: Pick<Rests, 'left'>;
  /** `trx`: the cap in TRX (decimal), which `most` also returns. */
  readonly dailyCap: Pick<DailyCap, 'left' | 'take'> & { readonly trx: string };
  /** Limit on what all admins together spend from the operator account in a day. */
  readonly operatorCap: Pick<DailyCap, 'most' | 'left' | 'taken' | 'take'>;
  readonly history: Pick<History, 'page'>;
  readonly lastPrices: LastPrices;
  readonly alreadyDone: AlreadyDone;
  readonly settlement: Settlement;
  readonly reconciler: Reconciler;
  readonly sendQueue: SendQueue;
  readonly applyListedStatus: NoteListed;
  readonly missed: Pick<Missed, 'of'>;
  readonly tellMissed: TellMissed;
  readonly settledCounts: Pick<SettledCounts, 'upTo' | 'close'>;
  readonly unresolved: Pick<Unresolved, 'list'>;
  readonly ask: OutcomeSearch['ask'];
  readonly proposals: Proposals;
  readonly decideByHand: DecideByHand;
  /** Counts the confirmed operations without a known outcome. */
  readonly underWay: () => Promise<UnderWay>;
  readonly forgetUnconfirmed: ForgetUnconfirmed;
  /** Reads the record of an operation by its key. An unreadable record is reported. */
  readonly readRecord: (key: string) => Promise<unknown>;
  /** Returns how long the most overdue operation has been due. */
  readonly overdueMs: DueIndex['overdueMs'];
}

export interface OperationsDeps {
  storage: Storage;
  records: SignedRecords;
  rental: Rental;
  kinds: Kinds;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  reported: (account: number) => Promise<boolean>;
  operator: PrepareDeps['operator'];
  addressBook: Pick<AddressBook, 'remember'>;
  announced: Pick<AnnouncedAddresses, 'take' | 'use'>;
  /** Maximum withdrawn from an account without two-factor codes within a day, in TRX (decimal). */
  withdrawCap: string;
  operatorLimits: Pick<OperatorLimits, 'now'>;
  balances: Pick<Balances, 'keep' | 'forget'>;
  continuity: ContinuityWatch;
  /**
   * Announces an operation durably: a withdrawal to the other account holders, other kinds to the module that follows
   * them up.
   */
  announce: (operation: Operation) => Promise<unknown>;
  operatorInvoices: OperatorInvoices | undefined;
  /** Returns why the operation may not use the operator account now, or `undefined`. */
  admit: (operation: Operation) => Promise<Refusal | undefined>;
  show: Show;
  /** Schedules the reconciler for an operation soon, on this or another replica. */
  hand: (ref: OperationRef) => Promise<void>;
  heartbeat?: HeartbeatPace | undefined;
  now: () => number;
  log: Log;
}

/**
 * Creates the operations module: drafts, claims, one request per claim, outcomes and evidence (docs/architecture.md,
 * money).
 *
 * @example
 * const draft = await operations.drafts.draft({ update, user, account, language, request });
 * // When the user taps Confirm:
 * const decision = await operations.decisions.confirm(draft, message, session.draft);
 * // After the chat's commit, which carries `decision.claim`:
 * if (decision.kind === 'claim') void operations.sendQueue.add(decision.claimed);
 */
export function createOperations(deps: OperationsDeps): Operations {
  const { storage, records, rental, kinds, now, log } = deps;
  const schema = createOperationSchema(kinds);
  const settledCounts = createSettledCounts({ storage, now });
  const store = createOperationStore({ records, schema, changed: settledCounts.changed });
  const unresolved = createUnresolved({ storage, store, now });
  const attempts = createAttempts({ records, schema, now });
  const dueIndex = createDueIndex({ storage });
  const orders = createOrders({ storage, records, now });
  const lastPrices = createLastPrices({ storage, kinds });
  const alreadyDone = createAlreadyDone({ storage, kinds });
  const recentAttempts = createRecentAttempts({ storage, store, now });
  const rests = createRests({ storage, kinds, now });
  const trx = formatTrx(new BigNumber(deps.withdrawCap));
  const capped = { records, commitMs: COMMIT_MS, now };
  const dailyCap = { ...createDailyCap({ ...capped, rule: withdrawals({ kinds, trx }) }), trx };
  const most = async () => (await deps.operatorLimits.now()).cap;
  const operatorCap = createDailyCap({ ...capped, rule: operatorSpending({ kinds, most }) });
  const settleCaps = (operation: Operation) =>
    Promise.all([dailyCap.settle(operation), operatorCap.settle(operation)]);
  const announce = createAnnounce({ ...deps, store, tell: deps.announce });
  const locks = createLocks({ storage, kinds });
  const history = createHistory({ storage, store });
  const heartbeat = createHeartbeat({ storage, pace: deps.heartbeat, log });
  const search = createSearch({ rental, kinds, orders, recentAttempts });
  const missed = createMissed({ storage });
  const leases = createLeases({ storage });
  const { notify, showAgain } = createNotifier({
    ...{ leases, missed, store, dueIndex, show: deps.show },
    newsSends: createNewsSends(deps),
  });
  const settleOpen = createSettleOpen({ store, locks, unresolved });
  const nextRecheck = createNextRecheck({ kinds, reported: deps.reported, now });
  const shared = {
    ...{ ...deps, store, attempts, dueIndex, recentAttempts, alreadyDone },
    ...{ history, locks, rests, dailyCap, operatorCap, settleCaps, announce, notify },
    ...{ showAgain, heartbeat, nextRecheck, leases, search, unresolved, settleOpen },
  };
  const settlement = createSettlement({ ...shared, orders, lastPrices });
  const execute = createExecute({ ...shared, settlement });
  const sendQueue = createSendQueue({ ...shared, execute });
  const advance = (ref: OperationRef) => reconciler.advance(ref);
  const outcomeSearch = createOutcomeSearch({ ...shared, settlement, advance });
  const reconciler = createReconciler({ ...shared, outcomeSearch, isHeld: sendQueue.holds });
  return {
    kinds,
    drafts: createDrafts(shared),
    decisions: createDecisions(shared),
    rests,
    dailyCap,
    operatorCap,
    history,
    lastPrices,
    alreadyDone,
    settlement,
    reconciler,
    sendQueue,
    applyListedStatus: createNoteListed({ ...shared, orders }),
    missed,
    tellMissed: createTellMissed({ ...shared, missed }),
    settledCounts,
    unresolved,
    ask: outcomeSearch.ask,
    proposals: createProposals({ records }),
    decideByHand: createDecideByHand(shared),
    underWay: createUnderWay(shared),
    forgetUnconfirmed: createForgetUnconfirmed({ storage, store }),
    readRecord: async (key) => {
      const ref = refOfKey(key);
      return ref && store.readable(ref);
    },
    overdueMs: dueIndex.overdueMs,
  };
}

const WATCH = 'operation-watch';
/** No retries: a failed operation becomes due again by itself. */
const ONCE = { tries: 1 };

/** Creates the jobs that share the reconciler's work among all replicas. No job sends a request. */
export function createOperationJobs({ jobs }: { jobs: Jobs }) {
  return {
    hand: (ref: OperationRef) => jobs.add(WATCH, ref),
    /** Registers the job handlers. Call before jobs start. */
    define({ reconciler }: Pick<Operations, 'reconciler'>, reconcileMs = RECONCILE_MS): void {
      jobs.define(WATCH, reconciler.advance, ONCE);
      jobs.every('operations-reconcile', reconcileMs, reconciler.run);
    },
  };
}
