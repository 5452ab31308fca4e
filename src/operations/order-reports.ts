// Compares the service's reports of an order with its request.

import { BigNumber } from 'bignumber.js';
import { decimal, price as positiveTrx } from '../rental-api/schemas.ts';
import { formatTrx } from '../rental-api/tron.ts';
import type {
  Difference,
  OperationKind,
  OperationRequest,
  OrderReport,
  RefundSearch,
  Result,
} from './kinds/kind.ts';

/** Statuses with which a service may report a part of an order, such as `partially_filled`. */
const PARTIAL_STATUS = /^part/i;

/**
 * Returns in which fact a report contradicts the order of a request, or `undefined`. A smaller amount is no
 * contradiction of a delivery: the order is then partly delivered. `result`: what is known of the order.
 */
export function differenceOf(
  kind: OperationKind,
  request: OperationRequest,
  result: Result,
  report: OrderReport,
): Difference | undefined {
  const { status, address, amount, hours, price, orderStatus } = report;
  const ordered = kind.orderedAmount?.(request) ?? 0;
  const target = kind.target(request);
  const isDelivery = status === 'filled';
  // The specification shows the fields of `order.filled` (section 6), but not those of `order.failed`. One field is enough
  // there, because orders of energy and bandwidth may have the same number.
  const isOptional = !isDelivery && (address !== undefined || amount !== undefined);
  if (address !== target && !(isOptional && address === undefined))
    return { fact: 'address', ordered: target, reported: address };
  const isPart =
    isDelivery && amount !== undefined && Number.isInteger(amount) && amount > 0 && amount < ordered;
  if (amount !== ordered && !isPart && !(isOptional && amount === undefined))
    return { fact: 'amount', ordered: String(ordered), reported: amount?.toString() };
  const orderedHours = kind.rentedHours?.(request);
  if (hours !== undefined && orderedHours !== undefined && !isEqual(hours, orderedHours))
    return { fact: 'hours', ordered: String(orderedHours), reported: hours };
  if (price !== undefined && result.price !== undefined && !isEqual(price, result.price))
    return { fact: 'price', ordered: result.price, reported: price };
  if (orderStatus !== undefined && isOtherStatus(orderStatus.toLowerCase(), { status, isPart }))
    return { fact: 'status', ordered: status, reported: orderStatus };
  const isDelivered = result.status === 'filled' || result.delivered !== undefined;
  return isDelivered && !isDelivery ? { fact: 'status', ordered: 'filled', reported: status } : undefined;
}

/**
 * Returns the search for the refund after the failure was reported. An earlier one ends with it, unless it has seen money,
 * of which the user knows then.
 */
function searchAfterFailure(refund: RefundSearch, now: number): { refund: RefundSearch } | undefined {
  if (refund.balance === 'back') return { refund: { ...refund, isKnown: true } };
  if (refund.balance !== 'either') return undefined;
  return { refund: { ...refund, isKnown: true, checks: 0, since: now, at: now, over: false } };
}

/** Returns whether the status in an event contradicts its type. A status that isn't documented proves nothing (section 3). */
function isOtherStatus(said: string, { status, isPart }: { status: string; isPart: boolean }): boolean {
  if (PARTIAL_STATUS.test(said)) return !isPart;
  return ['pending', 'filled', 'failed'].includes(said) && said !== status;
}

function isEqual(text: string, number: BigNumber.Value): boolean {
  const { data } = decimal.safeParse(text);
  return data !== undefined && new BigNumber(data).eq(number);
}

/** Returns the price that a report names, in TRX (decimal); `undefined` if it names none. */
export function reportedPrice({ price }: OrderReport): string | undefined {
  const { data } = positiveTrx.safeParse(price);
  return data === undefined ? undefined : formatTrx(new BigNumber(data));
}

/**
 * Returns the result of an order after a report that doesn't contradict it, or the same object if the report adds
 * nothing. The largest delivered amount counts, so that reports may be repeated or arrive in any order. `now`: epoch
 * milliseconds.
 */
export function resultAfter(
  kind: OperationKind,
  request: OperationRequest,
  result: Result,
  report: OrderReport,
  now: number,
): Result {
  const { status, amount = 0, at = now } = report;
  if (result.status === 'filled') return result;
  if (status === 'failed') {
    const { refunded = result.refunded } = report;
    if (result.status === status && result.refunded === refunded) return result;
    const { refund, ...rest } = result;
    return {
      ...rest,
      ...(refund && result.status === status && { refund }),
      ...(refund && result.status !== status && searchAfterFailure(refund, now)),
      status,
      ...(refunded !== undefined && { refunded, refundedAt: Math.min(at, now) }),
    };
  }
  const { delivered, ...rest } = result;
  const deliveredAt = Math.min(result.deliveredAt ?? now, at, now);
  if (amount === kind.orderedAmount?.(request)) return { ...rest, status, deliveredAt };
  return amount > (delivered ?? 0) ? { ...rest, status: 'pending', delivered: amount, deliveredAt } : result;
}
