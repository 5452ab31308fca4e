import { longestOf } from '../platform/poll-schedule.ts';
import type { SignedRecords, StoredData } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { createDecisions, createDrafts, type Decisions, type Drafts } from './confirm.ts';
import { DATA_LOSS_REPORTED } from './continuity.ts';
import { createOperationServices, type OperationsDeps } from './dependencies.ts';
import { EVIDENCE_DATA, type OrderName } from './evidence.ts';
import { createExecute, createNotifyExecuted, createSendQueue, type SendQueue } from './execute.ts';
import { FEE_DATA, type FeeMemory } from './fees.ts';
import { invoice } from './kinds/invoice.ts';
import type { Kinds, OperationKind } from './kinds/kind.ts';
import { activation, bandwidth, energy } from './kinds/purchases.ts';
import { smartMode } from './kinds/smart-mode.ts';
import { withdrawal } from './kinds/withdrawal.ts';
import { type CompletedOnce, type Cooldowns, type DailyCap, LIMIT_DATA } from './limits.ts';
import { MAINTENANCE } from './maintenance.ts';
import {
  createOperationSchema,
  createOperationStore,
  OPERATION,
  type Operation,
  refOfKey,
} from './operation.ts';
import {
  createCountUnknown,
  createHistory,
  type History,
  type LastPrices,
  type OperationFigures,
  QUERY_DATA,
  type Unresolved,
} from './queries.ts';
import { createNotifier, type Notifier, RECEIPT_DATA, type Show } from './receipt.ts';
import { createReconciler, type Reconciler, SEARCHING_OUTCOME } from './reconcile.ts';
import { RECOVERY_DATA } from './recovery.ts';
import { CHECKING_REFUND, REFUND_CHECKS } from './refund.ts';
import { createProposals, createSettlement, PROPOSAL, type Proposals, type Settlement } from './settle.ts';

/** All kinds of operations. To add one, define it in `kinds/` and add a line here. */
export const KINDS: readonly OperationKind[] = [
  energy,
  bandwidth,
  activation,
  smartMode,
  withdrawal,
  invoice,
];

/** Reads operations without changing them. Modules that operations report to use it. */
export function createOperationFinder({
  storage,
  records,
  kinds,
}: {
  storage: Pick<Storage, 'index' | 'now'>;
  records: SignedRecords;
  kinds: Kinds;
}) {
  const store = createOperationStore({ records, schema: createOperationSchema(kinds) });
  return {
    countUnknown: createCountUnknown({ storage, store }),
    find: store.find,
    confirmedSince: createHistory({ storage, store }).since,
    /** Reads the operation of a key. Reports it if it can't be read. */
    async readKey(key: string): Promise<Operation | undefined> {
      const ref = refOfKey(key);
      return ref && store.find(ref);
    },
  };
}

/** Everything that this module stores. */
export const OPERATION_DATA: readonly StoredData[] = [
  OPERATION,
  ...RECOVERY_DATA,
  ...RECEIPT_DATA,
  ...QUERY_DATA,
  PROPOSAL,
  SEARCHING_OUTCOME,
  ...LIMIT_DATA,
  ...EVIDENCE_DATA,
  ...FEE_DATA,
  REFUND_CHECKS,
  CHECKING_REFUND,
  MAINTENANCE,
  DATA_LOSS_REPORTED,
];

export interface Operations {
  readonly kinds: Kinds;
  readonly drafts: Drafts;
  readonly decisions: Decisions;
  readonly cooldowns: Cooldowns;
  /** Limit on withdrawals without two-factor codes. `trx`: the limit in TRX (decimal). */
  readonly dailyCap: DailyCap & { readonly trx: string };
  /** Limit on what all admins together spend from the operator account in a day. */
  readonly operatorCap: DailyCap;
  readonly history: History;
  /** Returns the operation that made an order, if it was made through the bot lately. */
  readonly findByOrder: (name: OrderName) => Promise<Operation | undefined>;
  readonly lastPrices: LastPrices;
  readonly fees: FeeMemory;
  readonly completedOnce: CompletedOnce;
  readonly settlement: Settlement;
  readonly reconciler: Reconciler;
  readonly sendQueue: SendQueue;
  readonly undelivered: Notifier['undelivered'];
  readonly notifyUndelivered: Notifier['notifyUndelivered'];
  readonly figures: Pick<OperationFigures, 'during'>;
  readonly unresolved: Pick<Unresolved, 'list'>;
  readonly pendingSummary: Unresolved['pendingSummary'];
  readonly searchNow: Reconciler['searchNow'];
  readonly checkRefunds: Reconciler['checkRefunds'];
  readonly applyListedStatus: Settlement['applyListedStatus'];
  readonly resolveManually: Settlement['resolveManually'];
  readonly eraseUnconfirmed: Drafts['eraseUnconfirmed'];
  readonly proposals: Proposals;
  /** Returns how long the most overdue operation, or check for a refund, has been due. */
  readonly overdueMs: () => Promise<number | undefined>;
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
 * if (decision.kind === 'claim') void operations.sendQueue.enqueueClaim(decision.claimed);
 */
export function createOperations(deps: OperationsDeps & { show: Show }): Operations {
  const services = createOperationServices(deps);
  const notifier = createNotifier(services, deps.show);
  const { notifyOfChanges, undelivered, notifyUndelivered } = notifier;
  const settlement = createSettlement(services, notifyOfChanges);
  const notifyExecuted = createNotifyExecuted(services);
  const execute = createExecute(services, notifier, settlement, notifyExecuted);
  const sendQueue = createSendQueue(services, notifyOfChanges, execute);
  const reconciler = createReconciler(services, notifyOfChanges, settlement, notifyExecuted, sendQueue.holds);
  const drafts = createDrafts(services);
  const { store, orders } = services;
  return {
    ...services,
    drafts,
    decisions: createDecisions(services),
    async findByOrder(name) {
      const owner = await orders.ownerOf(name);
      return owner && store.find(owner);
    },
    settlement,
    reconciler,
    sendQueue,
    pendingSummary: services.unresolved.pendingSummary,
    searchNow: reconciler.searchNow,
    checkRefunds: reconciler.checkRefunds,
    applyListedStatus: settlement.applyListedStatus,
    resolveManually: settlement.resolveManually,
    eraseUnconfirmed: drafts.eraseUnconfirmed,
    undelivered,
    notifyUndelivered,
    proposals: createProposals(services),
    async overdueMs() {
      const schedules = [services.recheckSchedule, services.refundSchedule];
      return longestOf(await Promise.all(schedules.map((schedule) => schedule.overdueMs())));
    },
  };
}
