import { BigNumber } from 'bignumber.js';
import type { AddressAnnouncements } from '../accounts/address-announcements.ts';
import type { AddressBook } from '../accounts/address-book.ts';
import type { Balances } from '../accounts/balances.ts';
import type { Operator, OperatorLimits } from '../accounts/operator.ts';
import { createLeases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import type { SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { OperatorInvoices, Rental } from '../rental-api/client.ts';
import type { Prices } from '../rental-api/schemas.ts';
import { formatTrx } from '../rental-api/tron.ts';
import type { ContinuityWatch } from './continuity.ts';
import { createOrders, createRecentAttempts } from './evidence.ts';
import { createFeeMemory } from './fees.ts';
import type { Contradiction, Kinds } from './kinds/kind.ts';
import {
  createCompletedOnce,
  createCooldowns,
  createOperatorCap,
  createTargetLocks,
  createWithdrawalCap,
} from './limits.ts';
import {
  createOperationSchema,
  createOperationStore,
  type Market,
  type Operation,
  type Refusal,
} from './operation.ts';
import { createOutcomeLog } from './outcome-log.ts';
import { createHistory, createOperationFigures, createUnresolved, type LastPrices } from './queries.ts';
import { createAttempts, createHeartbeat, createRecheckSchedule, type HeartbeatPace } from './recovery.ts';
import { createRefundSchedule } from './refund.ts';

/** Dependencies of the operations module on other modules. */
export interface OperationsDeps {
  storage: Storage;
  records: SignedRecords;
  rental: Rental;
  kinds: Kinds;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** Returns the API key that reads how an operation ends. It sends nothing. */
  keyToFollow: (operation: Operation) => Promise<string | undefined>;
  /** Returns whether the service sends the account's events here. If so, its logs show deliveries too. */
  reported: (account: number) => Promise<boolean>;
  lastPrices: LastPrices;
  /** Returns the market prices of this account, if they were read recently. */
  market: (account: number) => Market | undefined;
  /** Called with the account's prices that were read right before a request, so that later cards show them. */
  onPricesRead: (account: number, prices: Prices) => void;
  operator: Pick<Operator, 'owns' | 'isKey'>;
  addressBook: Pick<AddressBook, 'remember'>;
  addressAnnouncements: Pick<AddressAnnouncements, 'reserve' | 'recordUse'>;
  /** Maximum withdrawn from an account without two-factor codes within a day, in TRX (decimal). */
  withdrawCap: string;
  operatorLimits: Pick<OperatorLimits, 'get'>;
  balances: Pick<Balances, 'set' | 'startRead' | 'delete'>;
  continuity: ContinuityWatch;
  /**
   * Called after a withdrawal, or an operation whose result another module tracks, was executed or may have been. Must
   * store what it does durably. May be called again.
   */
  onExecuted: (operation: Operation) => Promise<unknown>;
  /** Reports that a record of the service contradicts an order, and therefore changed nothing. */
  reportContradiction: (contradiction: Contradiction) => Promise<unknown>;
  operatorInvoices: OperatorInvoices | undefined;
  /** Returns why the operation may not use the operator account now, or `undefined`. Counts it towards the limits. */
  applyGuestLimits: (operation: Operation) => Promise<Refusal | undefined>;
  /** Called after each write of an operation. `before` is missing if its record was lost. */
  onWritten?: ((before: Operation | undefined, after: Operation) => void) | undefined;
  heartbeatPace?: HeartbeatPace | undefined;
  now: () => number;
  log: Log;
}

/** Stores, limits and schedules that drafts, execution, settlement and the reconciler share. */
export type OperationServices = ReturnType<typeof createOperationServices>;

export function createOperationServices(deps: OperationsDeps) {
  const { storage, kinds, log } = deps;
  const schema = createOperationSchema(kinds);
  const figures = createOperationFigures(deps);
  const { incrementsOf } = figures;
  const logOutcome = createOutcomeLog(deps);
  function onWritten(before: Operation | undefined, after: Operation): void {
    logOutcome(before, after);
    deps.onWritten?.(before, after);
  }
  const store = createOperationStore({ ...deps, schema, incrementsOf, onWritten });
  const withStore = { ...deps, schema, store };
  const recheckSchedule = createRecheckSchedule({ storage });
  const trx = formatTrx(new BigNumber(deps.withdrawCap));
  const dailyCap = { ...createWithdrawalCap(deps, trx), trx };
  const operatorCap = createOperatorCap(deps, async () => (await deps.operatorLimits.get()).dailyCap);
  return {
    ...withStore,
    figures,
    recheckSchedule,
    refundSchedule: createRefundSchedule({ storage }),
    attempts: createAttempts(withStore),
    heartbeat: createHeartbeat({ storage, log }, deps.heartbeatPace),
    leases: createLeases({ storage }),
    orders: createOrders(deps),
    recentAttempts: createRecentAttempts(withStore),
    completedOnce: createCompletedOnce({ storage, kinds }),
    cooldowns: createCooldowns(deps),
    locks: createTargetLocks({ storage, kinds }),
    dailyCap,
    operatorCap,
    settleCaps: (operation: Operation) =>
      Promise.all([dailyCap.settle(operation), operatorCap.settle(operation)]),
    history: createHistory(withStore),
    fees: createFeeMemory(deps),
    unresolved: createUnresolved({ ...withStore, recheckSchedule }),
  };
}
