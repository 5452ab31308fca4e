import { BigNumber } from 'bignumber.js';
import type { AddressAnnouncements } from '../accounts/address-announcements.ts';
import type { AddressBook } from '../accounts/address-book.ts';
import type { Balances } from '../accounts/balances.ts';
import type { OperatorLimits } from '../accounts/operator.ts';
import type { Jobs } from '../platform/jobs.ts';
import { createLeases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import type { SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { StoredData } from '../platform/stored-data.ts';
import { formatTrx } from '../rental-api/amounts.ts';
import type { OperatorInvoices, Rental } from '../rental-api/client.ts';
import {
  createDecisions,
  createDrafts,
  createEraseUnconfirmed,
  type Decisions,
  type Drafts,
  type EraseUnconfirmed,
} from './confirm.ts';
import {
  createEvidenceSearch,
  createOrders,
  ORDER_OWNER,
  ORDER_REPORT,
  REPORTS_OF_ACCOUNT,
} from './evidence.ts';
import {
  ATTEMPT,
  createAttempts,
  createExecute,
  createHeartbeat,
  createNotifyExecuted,
  createSendQueue,
  HEARTBEAT,
  type HeartbeatPace,
  type SendQueue,
} from './execute.ts';
import type { Kinds } from './kinds/kinds.ts';
import {
  createDailyCap,
  createRecentAttempts,
  type DailyCap,
  OPERATOR_SPENT,
  operatorSpending,
  SENT_OF_ACCOUNT,
  UNRESOLVED_OF_ACCOUNT,
  WITHDRAWN,
  withdrawals,
} from './limits.ts';
import { createOperationSchema, type Operation, type OperationRef } from './operation.ts';
import { type ContinuityWatch, DATA_LOSS_REPORTED, MAINTENANCE } from './payments-gate.ts';
import {
  COMPLETED_ONCE,
  COOLDOWN,
  type CompletedOnce,
  type Cooldowns,
  createCompletedOnce,
  createCooldowns,
  createTargetLocks,
  type PreflightDeps,
  TARGET_LOCK,
} from './preflight.ts';
import {
  createHistory,
  createLastPrices,
  createPendingSummary,
  createSettledCounts,
  createUnresolved,
  type History,
  LAST_PRICE,
  type LastPrices,
  OPERATIONS_OF_DAY,
  OPERATIONS_OF_USER,
  type PendingSummary,
  type SettledCounts,
  UNRESOLVED,
  type Unresolved,
} from './queries.ts';
import {
  createFollowUpAttempts,
  createNotifier,
  createNotifyUndelivered,
  createUndeliveredOutcomes,
  FOLLOW_UP_ATTEMPT,
  type NotifyUndelivered,
  SENDING_RECEIPT,
  type Show,
  UNDELIVERED,
  type UndeliveredOutcomes,
} from './receipt.ts';
import {
  createNextRecheck,
  createRecheckSchedule,
  QUARANTINED,
  RECHECKS,
  type RecheckSchedule,
} from './recheck-schedule.ts';
import {
  type ApplyListedStatus,
  COMMIT_MS,
  createApplyListedStatus,
  createOutcomeSearch,
  createReconciler,
  type OutcomeSearch,
  type Reconciler,
  SEARCHING_OUTCOME,
} from './reconcile.ts';
import {
  createProposals,
  createResolveManually,
  createResolveUncertain,
  createSettlement,
  PROPOSAL,
  type Proposals,
  type ResolveManually,
  type Settlement,
} from './settle.ts';
import { createOperationStore, OPERATION, refOfKey } from './store.ts';

/** Interval in which the reconciler processes due operations, in milliseconds. */
export const RECONCILE_MS = 3_000;

/** Everything that this module stores. */
export const OPERATION_DATA: readonly StoredData[] = [
  OPERATION,
  ATTEMPT,
  HEARTBEAT,
  SENDING_RECEIPT,
  FOLLOW_UP_ATTEMPT,
  UNDELIVERED,
  OPERATIONS_OF_USER,
  RECHECKS,
  QUARANTINED,
  UNRESOLVED,
  OPERATIONS_OF_DAY,
  PROPOSAL,
  SEARCHING_OUTCOME,
  TARGET_LOCK,
  COOLDOWN,
  WITHDRAWN,
  OPERATOR_SPENT,
  SENT_OF_ACCOUNT,
  UNRESOLVED_OF_ACCOUNT,
  ORDER_OWNER,
  ORDER_REPORT,
  REPORTS_OF_ACCOUNT,
  LAST_PRICE,
  COMPLETED_ONCE,
  MAINTENANCE,
  DATA_LOSS_REPORTED,
];

export interface Operations {
  readonly kinds: Kinds;
  readonly drafts: Drafts;
  readonly decisions: Decisions;
  readonly cooldowns: Pick<Cooldowns, 'remainingMs'>;
  /** `trx`: the cap in TRX (decimal). */
  readonly dailyCap: Pick<DailyCap, 'remaining' | 'reserve'> & { readonly trx: string };
  /** Limit on what all admins together spend from the operator account in a day. */
  readonly operatorCap: Pick<DailyCap, 'limit' | 'remaining' | 'reserved' | 'reserve'>;
  readonly history: Pick<History, 'page'>;
  readonly lastPrices: LastPrices;
  readonly completedOnce: CompletedOnce;
  readonly settlement: Settlement;
  readonly reconciler: Reconciler;
  readonly sendQueue: SendQueue;
  readonly applyListedStatus: ApplyListedStatus;
  readonly undelivered: Pick<UndeliveredOutcomes, 'of'>;
  readonly notifyUndelivered: NotifyUndelivered;
  readonly settledCounts: Pick<SettledCounts, 'upTo' | 'close'>;
  readonly unresolved: Pick<Unresolved, 'list'>;
  readonly searchNow: OutcomeSearch['searchNow'];
  readonly proposals: Proposals;
  readonly resolveManually: ResolveManually;
  /** Counts the confirmed operations without a known outcome. */
  readonly pendingSummary: () => Promise<PendingSummary>;
  readonly eraseUnconfirmed: EraseUnconfirmed;
  /** Reads the record of an operation by its key. An unreadable record is reported. */
  readonly readRecord: (key: string) => Promise<unknown>;
  /** Returns how long the most overdue operation has been due. */
  readonly overdueMs: RecheckSchedule['overdueMs'];
}

export interface OperationsDeps {
  storage: Storage;
  records: SignedRecords;
  rental: Rental;
  kinds: Kinds;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  reported: (account: number) => Promise<boolean>;
  operator: PreflightDeps['operator'];
  addressBook: Pick<AddressBook, 'remember'>;
  addressAnnouncements: Pick<AddressAnnouncements, 'reserve' | 'recordUse'>;
  /** Maximum withdrawn from an account without two-factor codes within a day, in TRX (decimal). */
  withdrawCap: string;
  operatorLimits: Pick<OperatorLimits, 'get'>;
  balances: Pick<Balances, 'set' | 'delete'>;
  continuity: ContinuityWatch;
  /**
   * Called after a withdrawal, or an operation whose result another module tracks, was executed or may have been. Must
   * store what it does durably. May be called again.
   */
  onExecuted: (operation: Operation) => Promise<unknown>;
  operatorInvoices: OperatorInvoices | undefined;
  applyGuestLimits: PreflightDeps['applyGuestLimits'];
  show: Show;
  /** Enqueues a job that advances an operation, on this or another replica. */
  enqueue: (ref: OperationRef) => Promise<void>;
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
  const settledCounts = createSettledCounts({ records, now });
  const store = createOperationStore({ records, schema, onChange: settledCounts.changed });
  const unresolved = createUnresolved({ storage, store, now });
  const attempts = createAttempts({ records, schema, now });
  const recheckSchedule = createRecheckSchedule({ storage });
  const orders = createOrders({ storage, records, now });
  const lastPrices = createLastPrices({ records, kinds });
  const completedOnce = createCompletedOnce({ storage, kinds });
  const recentAttempts = createRecentAttempts({ storage, store, now });
  const cooldowns = createCooldowns({ records, kinds, now });
  const trx = formatTrx(new BigNumber(deps.withdrawCap));
  const capped = { records, commitMs: COMMIT_MS, now };
  const dailyCap = { ...createDailyCap({ ...capped, rule: withdrawals({ kinds, trx }) }), trx };
  const limit = async () => (await deps.operatorLimits.get()).dailyCap;
  const operatorCap = createDailyCap({ ...capped, rule: operatorSpending({ kinds, limit }) });
  const settleCaps = (operation: Operation) =>
    Promise.all([dailyCap.settle(operation), operatorCap.settle(operation)]);
  const notifyExecuted = createNotifyExecuted({ ...deps, store });
  const locks = createTargetLocks({ storage, kinds });
  const history = createHistory({ storage, store });
  const heartbeat = createHeartbeat({ storage, pace: deps.heartbeat, log });
  const evidenceSearch = createEvidenceSearch({ rental, kinds, orders, recentAttempts });
  const undelivered = createUndeliveredOutcomes({ records });
  const leases = createLeases({ storage });
  const { notify, showAgain } = createNotifier({
    leases,
    undelivered,
    store,
    recheckSchedule,
    followUpAttempts: createFollowUpAttempts({ storage }),
    show: deps.show,
  });
  const resolveUncertain = createResolveUncertain({ store, locks, unresolved });
  const nextRecheck = createNextRecheck({ kinds, reported: deps.reported, now });
  const shared = {
    ...deps,
    store,
    attempts,
    recheckSchedule,
    recentAttempts,
    completedOnce,
    history,
    locks,
    cooldowns,
    dailyCap,
    operatorCap,
    settleCaps,
    notifyExecuted,
    notify,
    showAgain,
    heartbeat,
    nextRecheck,
    leases,
    evidenceSearch,
    unresolved,
    resolveUncertain,
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
    cooldowns,
    dailyCap,
    operatorCap,
    history,
    lastPrices,
    completedOnce,
    settlement,
    reconciler,
    sendQueue,
    applyListedStatus: createApplyListedStatus({ ...shared, orders }),
    undelivered,
    notifyUndelivered: createNotifyUndelivered({ ...shared, undelivered }),
    settledCounts,
    unresolved,
    searchNow: outcomeSearch.searchNow,
    proposals: createProposals({ records }),
    resolveManually: createResolveManually(shared),
    pendingSummary: createPendingSummary(shared),
    eraseUnconfirmed: createEraseUnconfirmed({ storage, store }),
    readRecord: async (key) => {
      const ref = refOfKey(key);
      return ref && store.readable(ref);
    },
    overdueMs: recheckSchedule.overdueMs,
  };
}

const ADVANCE = 'advance-operation';
/** No retries: a failed operation becomes due again by itself. */
const ONCE = { tries: 1 };

/** Creates the jobs that share the reconciler's work among all replicas. No job sends a request. */
export function createOperationJobs({ jobs }: { jobs: Jobs }) {
  return {
    enqueue: (ref: OperationRef) => jobs.add(ADVANCE, ref),
    /** Registers the job handlers. Call before jobs start. */
    define({ reconciler }: Pick<Operations, 'reconciler'>, reconcileMs = RECONCILE_MS): void {
      jobs.define(ADVANCE, reconciler.advance, ONCE);
      jobs.every('reconcile-operations', reconcileMs, reconciler.run);
    },
  };
}
