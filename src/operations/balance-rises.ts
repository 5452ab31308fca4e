// Shares out what came back to the balance of an account over its orders. The service lists neither orders nor refunds, so
// each reading of the balance must be explained by the known charges and by the refunds of orders.

import { BigNumber } from 'bignumber.js';
import { HOUR_MS } from '../platform/clock.ts';
import { sunOf, trxFromSun } from '../rental-api/tron.ts';
import { type Credit, LISTED_EARLIER_MS } from './credits.ts';
import type { Kinds, RefundSearch, Result } from './kinds/kind.ts';
import { type DoneOperation, isInProgress, type Operation, wasSent } from './operation.ts';
import { isOrderKind, isRefundAwaited, isRefundSeen, isUnreported, rentedUntil } from './order-state.ts';

/** Maximum number of orders, including the checked one, whose refunds are compared with the rises of the balance. */
const MAX_REFUNDABLE = 10;
/** Maximum time from the start of a request, or of a read, until the service has executed it, in milliseconds. */
const REQUEST_MS = 30_000;

/** Time in epoch milliseconds. */
interface Span {
  from: number;
  until: number;
}

/** Balance that was read at some time of the span. `before`: the order that was sent right after it. */
interface BalanceReading extends Span {
  trx: string;
  before?: Operation;
}

/** Order whose price may come back within the span. */
interface Refundable extends Span {
  operation: DoneOperation;
  sun: number;
}

/** Change of the balance within the span, in sun. `of`: the charge that it returns, without which it isn't possible. */
interface Change extends Span {
  operation?: Operation;
  sun: number;
  of?: Change;
}

/** Charge that was made within the span or never, and may come back until `returnedUntil`, if that is set. */
interface PossibleCharge extends Span {
  operation: Operation;
  sun: number;
  returnedUntil?: number;
}

/** Changes of the balance by an operation. `unclear`: time in which it may have changed by any amount. */
interface Effect {
  charge?: Span & { sun: number; of: Operation };
  refundable?: Refundable;
  possible?: PossibleCharge;
  unclear?: Span;
}

/** Returns until when an effect may have changed the balance by an amount that isn't known, in epoch milliseconds. */
const openUntil = ({ possible, unclear }: Effect) =>
  Math.max(possible?.returnedUntil ?? possible?.until ?? 0, unclear?.until ?? 0);

/**
 * Verdict of the balance on the refund of an order. `either`: money came back for this order, for those in `among`, or for
 * operations of unknown result in `or`. `trx` is the sum that came back for any of them.
 */
interface Explanation extends Pick<RefundSearch, 'balance'> {
  trx: BigNumber;
  among: DoneOperation[];
  or: Operation[];
  /** Other orders whose refund is as certain, and wasn't seen by an earlier check. */
  together: DoneOperation[];
  /** Earlier operation before which the balance was the present one. Set if that is what shows the refund. */
  asBefore?: Operation | undefined;
  /** Other operations that may have changed the balance by an unknown amount since the first balance. */
  unclear: Operation[];
  /** Time of the first balance that the verdict on this order compares, in epoch milliseconds. */
  since: number;
  /** Deposits that the explanation takes into account. */
  credits: readonly Credit[];
  /** Returns the least that came back for the orders with these numbers, in TRX. */
  minReturned(orders: readonly number[]): BigNumber;
}

/** Returns what an operation changes. `order`: the order whose refund the search is for. An estimate of its price is enough. */
function effectOf(kinds: Kinds, operation: Operation, order: DoneOperation): Effect {
  const kind = kinds.of(operation.request);
  if (operation.state === 'refused' || kind.isFree?.(operation.request)) return {};
  if (operation.state !== 'done') {
    const from = 'claimedAt' in operation ? operation.claimedAt : operation.createdAt;
    const hours = isInProgress(operation) ? undefined : kind.rentedHours?.(operation.request);
    // By the rental's end, the service has charged it or never will, and the search for its refund is over.
    const overAt = hours === undefined ? Number.POSITIVE_INFINITY : from + REQUEST_MS + hours * HOUR_MS;
    // The user has checked its result, and what comes back is rather the refund of an order that failed.
    const isChecked = operation.state === 'closed' && order.result.status === 'failed';
    const sun = sunOf(operation.estimate);
    if (hours === undefined || sun === undefined || !wasSent(operation))
      return { unclear: { from, until: isChecked ? from + REQUEST_MS : overAt } };
    const { sentAt } = operation.attempt;
    const possible = { operation, from: sentAt, until: sentAt + REQUEST_MS, sun };
    return { possible: isChecked ? possible : { ...possible, returnedUntil: overAt } };
  }
  const { attempt, settledAt, settledBy, result, estimate, decided } = operation;
  const from = attempt.sentAt;
  if (!isOrderKind(kind)) return { unclear: { from, until: settledAt } };
  // The charge stays.
  const isFinal = result.status === 'filled' || decided !== undefined;
  const isSure = operation === order || isFinal;
  const sun = sunOf(result.price ?? (isSure ? estimate : undefined));
  const until = refundableUntil(kinds, operation);
  const isUnpriced = sun === undefined || (settledBy !== 'reply' && !isSure);
  if (isUnpriced || result.delivered !== undefined) return { unclear: { from, until } };
  const charge = { from, until: Math.min(settledAt, from + REQUEST_MS), sun, of: operation };
  const refundable = { operation, sun: sunOf(result.refunded) ?? sun, from, until };
  return isFinal ? { charge } : { charge, refundable };
}

/** Returns until when the refund of an order may have arrived, in epoch milliseconds. */
function refundableUntil(kinds: Kinds, operation: DoneOperation): number {
  const { result, settledAt, request, decided } = operation;
  if (result.status === 'filled' || decided) return settledAt;
  if (isRefundSeen(result) && result.refund) return result.refund.at;
  // Unless the service reports a failure, the search for a refund ends with the rental.
  const end = isUnreported(result) ? rentedUntil(kinds.of(request), operation) : undefined;
  return end ?? Number.POSITIVE_INFINITY;
}

const areApart = (one: Span, other: Span) => one.until < other.from || other.until < one.from;

/** Returns the balances that operations have read, before their request or in search of a refund. */
function readBy(operations: readonly Operation[]): BalanceReading[] {
  return operations.flatMap((operation) => {
    const before =
      wasSent(operation) && operation.attempt.balanceBefore !== undefined
        ? [
            {
              trx: operation.attempt.balanceBefore,
              from: operation.claimedAt,
              until: operation.attempt.sentAt,
              before: operation,
            },
          ]
        : [];
    const seen = operation.state === 'done' ? operation.result.refund?.left : undefined;
    return seen ? [...before, { trx: seen.trx, from: seen.at, until: seen.until }] : before;
  });
}

/** Returns the readings of the balance in their order, without those that a charge may have preceded or followed. */
function readingsOf(
  order: DoneOperation,
  others: readonly Operation[],
  left: BalanceReading,
  charges: readonly NonNullable<Effect['charge']>[],
): BalanceReading[] {
  // Without a price in the reply, only the balance before the order shows the whole refund.
  const isExact = ({ from }: Span) => order.result.price !== undefined || from <= order.attempt.sentAt;
  const isClear = (reading: BalanceReading) =>
    charges.every((charge) => reading.before === charge.of || areApart(reading, charge));
  const sorted = [...readBy([order, ...others]).filter(isExact), left]
    .filter(isClear)
    .toSorted((one, other) => one.from - other.from || one.until - other.until);
  return sorted.filter(({ until }, at) => until <= (sorted[at + 1]?.from ?? until));
}

/**
 * Returns whether an operation may have changed the balance by nothing in the end: its outcome is open, it has failed, or it
 * is an order that wasn't seen to arrive.
 */
function mayHaveCostNothing(kinds: Kinds, operation: Operation): boolean {
  const kind = kinds.of(operation.request);
  if (operation.state !== 'done' || kind.isFree?.(operation.request)) return true;
  return operation.result.status === 'failed' || (isOrderKind(kind) && isUnreported(operation.result));
}

/** Returns whether nothing of an operation can have come back after this time. */
function isOverBy(kinds: Kinds, operation: Operation, at: number, order: DoneOperation): boolean {
  const isReturnable =
    operation.state === 'done' &&
    kinds.of(operation.request).withdrawalAmount !== undefined &&
    operation.result.status !== 'completed';
  const effect = effectOf(kinds, operation, order);
  return !isReturnable && Math.max(effect.refundable?.until ?? 0, openUntil(effect)) <= at;
}

/**
 * Explains the present balance, less the deposits since then, as an earlier one, from before the order. If all operations
 * since then may have cost nothing, and nothing of earlier ones can have come back, then all that was charged since came
 * back, whatever the prices are.
 */
function explainAsBefore(
  kinds: Kinds,
  order: DoneOperation,
  others: readonly Operation[],
  left: BalanceReading,
  credits: readonly Credit[],
): Explanation | undefined {
  const all = [order, ...others];
  const creditsSince = (one: Span) => credits.filter((credit) => isCreditedSince(credit, one));
  const isSince = (operation: Operation, { before, until }: BalanceReading) =>
    operation === before || (wasSent(operation) ? operation.attempt.sentAt : operation.createdAt) >= until;
  const isExplained = (operation: Operation, reading: BalanceReading) =>
    isSince(operation, reading)
      ? mayHaveCostNothing(kinds, operation)
      : isOverBy(kinds, operation, reading.from, order);
  const readings = readBy(all);
  // A higher balance in between contains other money, such as a late refund.
  const isHighest = ({ until }: Span) =>
    readings.every(({ from, trx }) => from < until || toSun(trx) <= toSun(left.trx));
  const reading = readings
    .filter(isHighest)
    .filter((one) => toSun(one.trx) + sumOf(creditsSince(one)) === toSun(left.trx) && isSince(order, one))
    .toSorted((one, other) => one.from - other.from)
    .findLast((one) => all.every((operation) => isExplained(operation, one)));
  if (reading === undefined) return undefined;
  const since = all.filter((operation) => isSince(operation, reading));
  const orders = all.flatMap((one) =>
    one.state === 'done' && isOrderKind(kinds.of(one.request)) ? one : [],
  );
  const refunded = orders.filter((one) => since.includes(one) || isAssigned({ operation: one }));
  const [first] = since
    .filter((one) => Object.keys(effectOf(kinds, one, order)).length > 0)
    .toSorted((one, other) => one.createdAt - other.createdAt);
  return {
    balance: 'back',
    // Any payment since then could be a part of it.
    trx: new BigNumber(Number.POSITIVE_INFINITY),
    among: [],
    or: [],
    together: refunded.filter(
      (one) => one !== order && isRefundAwaited(kinds, one) && !isAssigned({ operation: one }),
    ),
    asBefore: first === order ? undefined : first,
    unclear: [],
    since: reading.from,
    credits: creditsSince(reading),
    minReturned: (numbers) => sumOfPrices(resultsOf(refunded).filter((one) => isAmong(numbers, one))),
  };
}

/**
 * Returns what the balance shows of the refund of an order or a failed withdrawal. `left`: the present balance. `credits`:
 * deposits that it contains.
 */
export function explainBalance(
  kinds: Kinds,
  order: DoneOperation,
  others: readonly Operation[],
  left: BalanceReading,
  credits: readonly Credit[] = [],
): Explanation {
  const explanation = explainRises(kinds, order, others, left, credits);
  if (explanation.balance === 'back') return explanation;
  return explainAsBefore(kinds, order, others, left, credits) ?? explanation;
}

/**
 * Explains the rises between all readings by deposits, by charges and refunds with a known price, and by charges of unknown
 * result, which may come back, too.
 */
function explainRises(
  kinds: Kinds,
  order: DoneOperation,
  others: readonly Operation[],
  left: BalanceReading,
  deposited: readonly Credit[],
): Explanation {
  const operations = [order, ...others];
  const effects = operations.map((one) => effectOf(kinds, one, order));
  const charges = effects.flatMap(({ charge }) => charge ?? []);
  const unclear = effects.flatMap((effect) => effect.unclear ?? []);
  const readings = readingsOf(order, others, left, charges);
  const zero = new BigNumber(0);
  const unclearSince = (at: number) =>
    operations.filter((one, index) => one !== order && openUntil(effects[index] ?? {}) > at);
  const none = {
    trx: zero,
    among: [],
    or: [],
    together: [],
    unclear: unclearSince(order.claimedAt),
    since: order.claimedAt,
    credits: [],
    minReturned: () => zero,
  };
  const own = effects[0]?.refundable;
  if (own === undefined || readings.at(-1) !== left) return { balance: 'moved', ...none };

  const all = effects.flatMap((effect) => effect.refundable ?? []);
  const allPossible = effects.flatMap((effect) => effect.possible ?? []);
  const open = [...all.filter((one) => !isAssigned(one)), ...allPossible];
  let oldest = Math.min(own.from, ...open.map(({ from }) => from));
  // To explain a refund that was seen since then, the readings must begin before the charge of its order.
  for (const { from, until } of all.toSorted((one, other) => other.until - one.until))
    if (until > oldest) oldest = Math.min(oldest, from);
  const used = readings.filter(({ until }) => until >= oldest);
  const start = used[0]?.from ?? 0;
  const refundable = all.filter(({ until }) => until > start);
  const possibleSince = allPossible.filter((one) => (one.returnedUntil ?? one.until) > start);
  const isTooMuch = refundable.length + 2 * possibleSince.length > MAX_REFUNDABLE;
  const possible = isTooMuch ? [] : possibleSince;
  if (isTooMuch)
    unclear.push(
      ...possibleSince.map(({ from, until, returnedUntil = until }) => ({ from, until: returnedUntil })),
    );
  const rises = used.slice(1).map((after, at) => {
    const before = used[at] ?? after;
    const charged = charges.filter(({ from }) => from >= before.until && from < after.until);
    const sun = charged.reduce((sum, charge) => sum + charge.sun, toSun(after.trx) - toSun(before.trx));
    const isUnclear = unclear.some(({ from, until }) => from < after.until && until > before.from);
    return { sun: isUnclear ? Number.NaN : sun, from: before.from, until: after.until };
  });
  if (refundable.length > MAX_REFUNDABLE)
    return { balance: rises.every(({ sun }) => sun === 0) ? 'same' : 'moved', ...none };
  const before = all.filter((one) => one.until <= start && isAssigned(one));
  const recent = deposited.filter(({ at }) => at >= start - LISTED_EARLIER_MS);
  const count = refundable.length + 2 * possible.length;
  const credits = count + recent.length > MAX_REFUNDABLE ? [] : recent;
  const arrived = credits.filter((one) => used[0] !== undefined && isCreditedSince(one, used[0]));
  const changes: Change[] = [...refundable, ...credits.map(spanOf), ...possible.flatMap(changesOf)];
  const found = explanations(changes, rises, start);
  const verdict = verdictOn(own, { changes, refundable, before, credits, arrived }, found, kinds);
  // Another failed order's refund may be the present rise, and a payment before this order the rise that seemed to be it.
  const isOtherFailed = refundable.some(
    (one) => one !== own && one.operation.result.status === 'failed' && !isAssigned(one),
  );
  const since = isOtherFailed ? start : (rises.find(({ until }) => until > own.from)?.from ?? start);
  return { ...verdict, since, credits, unclear: unclearSince(start) };
}

/** Returns whether a deposit has certainly changed the balance after this reading. An earlier one may be part of it. */
const isCreditedSince = ({ at, isConfirmed }: Credit, { until }: Span) => isConfirmed && at >= until;

const spanOf = ({ at, sun }: Credit): Change => ({ from: at, until: Number.POSITIVE_INFINITY, sun });

/** Returns the charge, and its return if that may come. */
function changesOf({ operation, from, until, sun, returnedUntil }: PossibleCharge): Change[] {
  const charge = { operation, from, until, sun: -sun };
  return returnedUntil === undefined
    ? [charge]
    : [charge, { ...charge, until: returnedUntil, sun, of: charge }];
}

const sumOf = (changes: readonly { sun: number }[]) => changes.reduce((sum, { sun }) => sum + sun, 0);

const toSun = (trx: string) => sunOf(trx) ?? Number.NaN;

/** Returns the set of the changes for which `isIn` returns true, as bits in the order of `changes`. */
function bitsOf<T>(changes: readonly T[], isIn: (one: T) => boolean): number {
  return changes.reduce((bits, one, at) => (isIn(one) ? bits | (1 << at) : bits), 0);
}

/** Returns whether a refund was reported or seen by an earlier check. Such a refund isn't shared out again. */
function isAssigned({ operation: { result } }: Pick<Refundable, 'operation'>): boolean {
  return isRefundSeen(result) || result.refunded !== undefined;
}

/**
 * Returns the sets of changes that explain all rises of the balance, as bits in the order of `changes`. A rise that none
 * explain shows nothing: any of them may have been made with it. `start`: time of the first reading.
 */
function explanations(
  changes: readonly Change[],
  rises: readonly (Span & { sun: number })[],
  start: number,
): number[] {
  const sums = sumsOf(changes);
  const sets = [...sums.keys()];
  const returns = changes.flatMap(({ of }, at) => (of ? { bit: 1 << at, of: 1 << changes.indexOf(of) } : []));
  const isPossible = (set: number) => returns.every(({ bit, of }) => (set & bit) === 0 || (set & of) !== 0);
  /** Adds sets of changes to those that were made before. */
  const extended = (found: Iterable<number>, made: readonly number[]) =>
    new Set(
      [...found]
        .flatMap((set) => made.flatMap((more) => ((set & more) === 0 ? set | more : [])))
        .filter(isPossible),
    );
  /** Adds every set of the changes in `open`. */
  function anyOf(from: ReadonlySet<number>, open: number): ReadonlySet<number> {
    const all = new Set(from);
    for (const at of changes.keys()) for (const set of [...all]) all.add(set | (open & (1 << at)));
    return new Set([...all].filter(isPossible));
  }
  const isWithin = (set: number, open: number) => (set & ~open) === 0;
  const earlier = bitsOf(changes, ({ from }) => from < start);
  let found = anyOf(new Set([0]), earlier);
  for (const { sun, from, until } of rises) {
    const open = bitsOf(changes, (one) => one.from < until && one.until > from);
    const fitting = sets.filter((set) => isWithin(set, open) && sums[set] === sun);
    const next = extended(found, fitting);
    found = next.size > 0 ? next : anyOf(found, open);
  }
  return [...found];
}

/** Returns the sum of each set of changes, in sun. */
function sumsOf(changes: readonly { sun: number }[]): number[] {
  const sums = [0];
  for (const { sun } of changes) sums.push(...sums.map((sum) => sum + sun));
  return sums;
}

/**
 * Returns the likely explanations: the same money is rather the refund of orders that failed than of orders whose delivery
 * wasn't seen. `orders`: bits of all orders.
 */
function likelyAmong(
  sets: readonly number[],
  sumOf: (set: number) => number,
  failedIn: (set: number) => number,
  orders: number,
): number[] {
  const isLikelier = (one: number, other: number) =>
    ((one ^ other) & ~orders) === 0 && sumOf(one) === sumOf(other) && failedIn(one) > failedIn(other);
  return sets.filter((set) => !sets.some((other) => isLikelier(other, set)));
}

/** Returns the bits in which an explanation with an order differs from the most similar ones without it. */
function exchangedFor(ownBit: number, sets: readonly number[]): number {
  const without = sets.filter((set) => (set & ownBit) === 0);
  let exchanged = 0;
  for (const set of sets.filter((one) => (one & ownBit) !== 0)) {
    const differences = without.map((other) => set ^ other);
    const least = Math.min(...differences.map(countBits));
    for (const difference of differences) if (countBits(difference) === least) exchanged |= difference;
  }
  return exchanged;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/**
 * `changes`: first `refundable`, then `credits`. `before`: orders that got their money back before the first reading.
 * `arrived`: deposits that have certainly arrived since then. `found`: sets of bits, each an explanation.
 */
function verdictOn(
  own: Refundable,
  {
    changes,
    refundable,
    before,
    credits,
    arrived,
  }: {
    changes: readonly Change[];
    refundable: readonly Refundable[];
    before: readonly Refundable[];
    credits: readonly Credit[];
    arrived: readonly Credit[];
  },
  found: readonly number[],
  kinds: Kinds,
): Omit<Explanation, 'since' | 'unclear' | 'credits'> {
  const sums = sumsOf(changes);
  const sumOf = (set: number) => sums[set] ?? 0;
  const bitOf = (order: Refundable) => bitsOf(refundable, (one) => one === order);
  const ownBit = bitOf(own);
  const hasOwn = (set: number) => (set & ownBit) !== 0;
  const orders = 2 ** refundable.length - 1;
  const returns = bitsOf(changes, ({ of }) => of !== undefined);
  const certainly = bitsOf(credits, (one) => arrived.includes(one)) << refundable.length;
  const assigned = bitsOf(refundable, isAssigned) | certainly;
  const isFailed = ({ operation }: Refundable) =>
    operation.result.status === 'failed' && isRefundAwaited(kinds, operation);
  const failedIn = (set: number) =>
    refundable.filter((one, at) => (set & (1 << at)) !== 0 && isFailed(one)).length;

  const possible = found.filter((set) => (set & assigned) === assigned);
  const likely = likelyAmong(possible, sumOf, failedIn, orders);
  // An order whose delivery wasn't seen counts as refunded only if less likely explanations contain it, too.
  const decisive = isFailed(own) || !likely.every(hasOwn) ? likely : possible;
  const isAsCertain = (one: Refundable) =>
    (isFailed(one) ? decisive : possible).every((set) => (set & bitOf(one)) !== 0);

  /** `exchanged`: bits of the changes of which some were made. */
  const verdict = (balance: Explanation['balance'], sun = 0, exchanged = 0) => ({
    balance,
    trx: trxFromSun(sun),
    among: refundable.flatMap((one, at) =>
      one !== own && (exchanged & (1 << at)) !== 0 ? one.operation : [],
    ),
    or: changes.flatMap(({ operation }, at) =>
      operation && (exchanged & returns & (1 << at)) !== 0 ? operation : [],
    ),
    together: refundable
      .filter((one) => balance === 'back' && one !== own && !isAssigned(one) && isAsCertain(one))
      .map(({ operation }) => operation),
    minReturned(numbers: readonly number[]) {
      const isIn = ({ operation }: Refundable) => isAmong(numbers, operation.result);
      const bits = bitsOf(refundable, isIn);
      const earlier = before.filter(isIn).reduce((sum, { sun }) => sum + sun, 0);
      const alike = bits | (exchanged & returns);
      return trxFromSun(earlier + Math.min(...decisive.map((set) => sumOf(set & alike))));
    },
  });
  if (possible.length === 0) return verdict(found.some(hasOwn) ? 'moved' : 'same');
  if (decisive.every(hasOwn)) return verdict('back', Math.max(...possible.map((set) => sumOf(set & orders))));
  if (!likely.some(hasOwn)) return verdict('same');
  const exchanged = exchangedFor(ownBit, decisive);
  const sun = Math.min(...decisive.map((set) => sumOf(set & exchanged)));
  // A deposit may be what came instead, or the charge of an unknown operation wasn't made.
  if (sun === 0 || (exchanged & ~(orders | returns)) !== 0) return verdict('moved');
  return verdict('either', sun, exchanged);
}

/** Money that came back for one of several orders, as messages to the user have announced it. */
export interface SharedReturn {
  trx: BigNumber;
  /** Numbers of the orders. */
  orders: number[];
  /** Id of an operation of unknown result that it may have come back for instead. */
  open?: string | undefined;
  /** Time of the message, in epoch milliseconds. */
  at: number;
}

/** Announced money for orders. `parts`: the same by message. */
interface AnnouncedReturn extends Omit<SharedReturn, 'at'> {
  parts: SharedReturn[];
}

/**
 * Returns the money for one of several orders that messages to the user have announced. Messages with an order in common
 * count as one.
 */
function announcedReturns(operations: readonly Operation[]): AnnouncedReturn[] {
  let groups: AnnouncedReturn[] = [];
  for (const { shared = [] } of resultsOf(operations))
    for (const { trx, orders, at, open } of shared) {
      const isJoined = (group: AnnouncedReturn) => group.orders.some((order) => orders.includes(order));
      const joined = groups.filter(isJoined);
      const part = {
        trx: new BigNumber(trx),
        orders: orders.toSorted((one, other) => one - other),
        at,
        open,
      };
      const group = {
        trx: BigNumber.sum(trx, ...joined.map((one) => one.trx)),
        orders: [...new Set([...orders, ...joined.flatMap((one) => one.orders)])],
        parts: [part, ...joined.flatMap(({ parts }) => parts)],
      };
      groups = [...groups.filter((one) => !isJoined(one)), group];
    }
  return groups;
}

/** Returns the results of operations. The price on the card replaces one that the service didn't name. */
const resultsOf = (operations: readonly Operation[]): Result[] =>
  operations.flatMap((one) =>
    one.state === 'done' ? { ...one.result, price: one.result.price ?? one.estimate } : [],
  );

const sumOfPrices = (results: readonly Result[]) =>
  BigNumber.sum(0, ...results.map(({ refunded, price = 0 }) => refunded ?? price));

/**
 * Returns what came back for one of several orders of a user, by the message that announced it, without the money that is
 * known to be for one of them.
 */
export function sharedReturns(operations: readonly Operation[]): SharedReturn[] {
  const resolved = operations.flatMap((one) => {
    const [result] = resultsOf([one]);
    return result && isResolved(result) ? { id: one.id, result } : [];
  });
  return announcedReturns(operations).flatMap(({ orders, parts }) => {
    let rest = parts;
    for (const { id, result } of resolved) {
      const isNamedIn = (part: SharedReturn) => isAmong(part.orders, result) || part.open === id;
      if (!isAmong(orders, result) && !parts.some(isNamedIn)) continue;
      let left = sumOfPrices([result]);
      const isNamed = (part: SharedReturn) => Number(isNamedIn(part));
      // The earliest message that names the order counts. Others may have announced a part of its refund.
      rest = rest
        .toSorted((one, other) => isNamed(other) - isNamed(one) || one.at - other.at)
        .map((part) => {
          const taken = BigNumber.min(left, part.trx);
          left = left.minus(taken);
          return { ...part, trx: part.trx.minus(taken) };
        });
    }
    return rest.filter(({ trx }) => trx.gt(0));
  });
}

const isAmong = (orders: readonly number[], { order }: Result) =>
  order !== undefined && orders.includes(order);

/** Returns whether the refund of an order was reported, or was seen in money that a message about several orders announced. */
function isResolved(result: Result): boolean {
  const { refunded, refund } = result;
  return refunded !== undefined || (isRefundSeen(result) && (refund?.isKnown ?? refund?.among) !== undefined);
}

/**
 * Returns how much of what came back for some orders no message to their user has announced, in TRX. Orders that a message
 * named together with one of them are included. `operations`: all of the account.
 */
export function unannouncedTrx(
  { minReturned }: Explanation,
  orders: readonly number[],
  operations: readonly Operation[],
  user: number,
): BigNumber {
  const announced = announcedReturns(operations.filter((one) => one.user === user)).filter((group) =>
    group.orders.some((order) => orders.includes(order)),
  );
  const all = [...new Set([...orders, ...announced.flatMap((group) => group.orders)])];
  const seen = resultsOf(operations).filter(
    (result) => isAmong(all, result) && isRefundSeen(result) && !isResolved(result),
  );
  return minReturned(all)
    .minus(BigNumber.sum(0, ...announced.map(({ trx }) => trx)))
    .minus(sumOfPrices(seen));
}
