// State of an order as users and admins see it. All screens derive it here.

import { BigNumber } from 'bignumber.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../platform/clock.ts';
import type { Kinds, OperationKind, RefundSearch, Result } from './kinds/kind.ts';
import { type DoneOperation, isUncertain, type Operation } from './operation.ts';

/**
 * State of a purchased order, as far as the bot can know it.
 *
 * - `awaited`: not delivered yet. The service reports the delivery to the bot.
 * - `unseen`: the bot can't see whether it was delivered.
 * - `over`: the rental time is over, and the bot didn't see a delivery.
 * - `returned`: the balance rose by exactly the price, so the order probably failed and was refunded.
 * - `partial`, `delivered`, `failed`: as the service reports it.
 */
export type OrderState = 'awaited' | 'unseen' | 'over' | 'returned' | 'partial' | 'delivered' | 'failed';

/** Time after an order in which the bot asks the service for a missing report of the delivery, in milliseconds. */
const REPORT_SEARCH_MS = DAY_MS;

/** Time after which the receipt says that an order wasn't seen to arrive, in milliseconds. Most arrive within a minute. */
export const ARRIVAL_MS = 3 * MINUTE_MS;

/** Time after which an order that wasn't seen to arrive is unusually late, in milliseconds. */
export const USUAL_DELIVERY_MS = 30 * MINUTE_MS;

/** Returns whether operations of this kind are orders, of which the service keeps no list. */
export function isOrderKind({ namespace, listing }: OperationKind): boolean {
  return namespace !== undefined && !listing;
}

/** Returns whether the service hasn't reported yet what became of an order. */
export function isUnreported({ status, delivered }: Result): boolean {
  return status !== undefined && status !== 'filled' && status !== 'failed' && delivered === undefined;
}

/** Returns whether the balance shows the probable refund of an order that wasn't reported. */
function isReturned(result: Result): boolean {
  return isUnreported(result) && result.refund?.balance === 'back';
}

/**
 * Returns whether the refund of this order or withdrawal may still be seen: it has failed, or the bot can't see the order's
 * delivery and its rental time isn't over.
 */
export function isRefundAwaited(kinds: Pick<Kinds, 'of'>, operation: Operation): operation is DoneOperation {
  if (!isRefundMissing(kinds, operation)) return false;
  const { refund } = operation.result;
  return refund?.over !== true || refund.recheck === true;
}

/** Returns whether no refund of this order or withdrawal was seen: it has failed, or the bot can't see the order's delivery. */
export function isRefundMissing(kinds: Pick<Kinds, 'of'>, operation: Operation): operation is DoneOperation {
  if (operation.state !== 'done' || operation.decided) return false;
  const { request, result, attempt } = operation;
  const kind = kinds.of(request);
  const isOrder = isOrderKind(kind);
  if (!isOrder && kind.withdrawalAmount === undefined) return false;
  if (isRefundSeen(result)) return false;
  if (result.status === 'failed') return result.refunded === undefined;
  return isOrder && isUnreported(result) && attempt.reported !== true;
}

/** Returns whether an operation failed at the service, as reported or probably. Then it cost nothing in the end. */
export function isFailed(result: Result): boolean {
  return result.status === 'failed' || isReturned(result);
}

/** Returns whether the balance probably shows the refund of a failed operation, or of an order that wasn't reported. */
export function isRefundSeen(result: Result): boolean {
  return isFailed(result) && result.refund?.balance === 'back';
}

/** Returns whether the refund was seen by a balance exactly as it was before the operation. */
export function isBackAsBefore({ attempt, result }: DoneOperation): boolean {
  const { balanceBefore: before = Number.NaN } = attempt;
  return isRefundSeen(result) && new BigNumber(result.refund?.left?.trx ?? Number.NaN).eq(before);
}

/**
 * Returns what the checks of the balance show of the refund of a failed order. `undefined` if the order hasn't failed or its
 * refund was reported or seen.
 */
export function missingRefundOf(result: Result): 'awaited' | 'none' | 'unclear' | undefined {
  const { status, refunded, refund } = result;
  if (status !== 'failed' || refunded !== undefined || isRefundSeen(result)) return undefined;
  if (refund?.balance === 'either' || refund?.balance === 'moved') return 'unclear';
  if (refund?.over !== true) return 'awaited';
  return refund.balance === 'same' ? 'none' : 'unclear';
}

/**
 * Returns whether the search for the refund of an operation that failed, or of an order that wasn't reported, ended without
 * it.
 */
export function isRefundLost(result: Result): boolean {
  const { status, refunded, refund } = result;
  const mayBeRefunded = refunded === undefined && (status === 'failed' || isUnreported(result));
  return mayBeRefunded && refund?.over === true && !['back', 'unlinked'].includes(refund.balance);
}

/** Returns whether the balance rose by the price of an order, but perhaps because of an operation of unknown outcome. */
export function isOpenRise(refund: Pick<RefundSearch, 'balance' | 'rise'> | undefined): boolean {
  return refund?.balance === 'moved' && refund.rise !== undefined;
}

/**
 * Returns whether the balance can't show the refund of an order that wasn't reported: its rental is over, or what came back
 * may belong to an operation of unknown outcome.
 */
export function isRefundUnclear({ refund }: Result, order: OrderState | undefined): boolean {
  if (refund === undefined) return false;
  const isOver = order === 'over' && refund.over && refund.balance !== 'same';
  return isOver || (order === 'unseen' && isOpenRise(refund));
}

/** Returns the state of an order. `undefined` for other operations, and without a result of the service. */
export function orderStateOf(kind: OperationKind, operation: Operation, now: number): OrderState | undefined {
  if (operation.state !== 'done' || operation.decided || !isOrderKind(kind)) return undefined;
  const { result, attempt, settledAt } = operation;
  const { status, delivered } = result;
  if (status === undefined) return undefined;
  if (status === 'failed') return 'failed';
  if (status === 'filled') return 'delivered';
  if (delivered !== undefined) return 'partial';
  if (isReturned(result)) return 'returned';
  const until = rentedUntil(kind, operation) ?? settledAt;
  const isReportDue = attempt.reported === true && now < settledAt + REPORT_SEARCH_MS;
  if (until <= now && !isReportDue) return 'over';
  return attempt.reported ? 'awaited' : 'unseen';
}

/** Returns whether the bot will tell the user more about an operation, as long as it can read the account that paid. */
export function isFollowed(kind: OperationKind, operation: Operation, now: number): boolean {
  if (isUncertain(operation)) return operation.search?.over !== true;
  if (operation.state !== 'done' || operation.decided) return false;
  if (kind.withdrawalAmount) return operation.result.status === 'pending';
  const order = orderStateOf(kind, operation, now);
  return order === 'awaited' || order === 'unseen';
}

/**
 * Returns when the rented time ends, in epoch milliseconds: counted from the delivery if its time is known, otherwise
 * from the purchase. `undefined` if nothing is rented, or if that isn't certain.
 */
export function rentedUntil(kind: OperationKind, operation: Operation): number | undefined {
  const hours = kind.rentedHours?.(operation.request);
  if (hours === undefined || operation.state !== 'done' || operation.decided) return undefined;
  const { result, settledBy, settledAt, attempt } = operation;
  if (result.status === 'failed' || isReturned(result)) return undefined;
  // Evidence can settle an operation long after the purchase.
  const boughtAt = settledBy === 'reply' ? settledAt : attempt.sentAt;
  return (result.deliveredAt ?? boughtAt) + hours * HOUR_MS;
}
