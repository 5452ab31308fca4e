import type { FeatureDeps } from '../../bot/feature.ts';
import { displayedStateOf } from '../../invoices/invoice.ts';
import { invoice as invoiceKind } from '../../operations/kinds/invoice.ts';
import type { OperationRequest } from '../../operations/kinds/kind.ts';
import {
  type EarlierPurchase,
  isConfirmed,
  isLikely,
  isUnresolved,
  type Operation,
  type OperationRef,
} from '../../operations/operation.ts';
import { missingRefundOf, orderStateOf, rentedUntil } from '../../operations/order-state.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/clock.ts';

/** Age up to which an operation may have rented energy that isn't over, in milliseconds. Invoices are delivered later. */
const SEARCHED_MS = 2 * DAY_MS;
/** Maximum operations of that time that are searched. */
const MAX_SEARCHED = 100;
/** Age of an order up to which it is shown as arriving, in milliseconds. A delivery usually takes a minute. */
const ARRIVING_MS = 5 * MINUTE_MS;

type EarlierPurchaseDeps = Pick<FeatureDeps, 'invoices' | 'operations' | 'now'>;

/**
 * Returns the user's latest purchase of energy for the address of the request, or an open invoice for it, and how much
 * runs in total. `undefined` if there is none, or if its energy is over. If the request is an invoice for a customer,
 * returns the latest open one of these, which a purchase without any earlier one points out, too. An invoice of the user
 * that is paid at the address comes first, because no USDT is sent from there, and second a purchase whose result, refund
 * or payment is unknown.
 */
export async function findEarlierPurchase(
  deps: EarlierPurchaseDeps,
  user: number,
  request: OperationRequest,
): Promise<EarlierPurchase | undefined> {
  const { history, kinds } = deps.operations;
  const isSale = (one: OperationRequest) => kinds.of(one).isPaidByOther?.(one) === true;
  if (kinds.of(request).rentedEnergy === undefined) return undefined;
  const address = kinds.of(request).target(request);
  // The card doesn't depend on it.
  const latest = await history.since(user, deps.now() - SEARCHED_MS, MAX_SEARCHED).catch(() => []);
  const payable = latest.map((one) => invoicePaidAt(address, one)).find((one) => one !== undefined);
  if (payable !== undefined) return payable;
  async function readAll(isWanted: (one: OperationRequest) => boolean): Promise<EarlierPurchase[]> {
    const same = latest.filter(
      ({ request: one }) =>
        kinds.of(one).rentedEnergy !== undefined && isWanted(one) && kinds.of(one).target(one) === address,
    );
    const read = await Promise.all(same.map((one) => purchaseOf(deps, one).catch(() => undefined)));
    return read.filter((one) => one !== undefined);
  }
  async function findSale(): Promise<EarlierPurchase | undefined> {
    const open = (await readAll(isSale)).find(({ state }) => state === 'invoice');
    return open && { ...open, state: 'sale' };
  }
  if (isSale(request)) return findSale();
  const found = await readAll((one) => !isSale(one));
  // A guest's own invoice says nothing about sales.
  if (found.length === 0 && request.kind !== invoiceKind.name) return findSale();
  const first = found.find(({ state }) => UNSETTLED.includes(state)) ?? found[0];
  const rentals = found.filter(({ state }) => state !== 'invoice' && !UNSETTLED.includes(state));
  if (first === undefined || rentals.every((one) => one === first)) return first;
  const countOf = (isCounted: (one: EarlierPurchase) => boolean) => rentals.filter(isCounted).length;
  const running = {
    count: rentals.length,
    energy: rentals.reduce((sum, { energy }) => sum + energy, 0),
    unseen: countOf(({ state }) => state !== 'there'),
    returned: countOf(({ state }) => state === 'returned'),
    until: Math.min(...rentals.map(({ until }) => until)),
  };
  return { ...first, running };
}

/** States of a purchase that may have cost money without a delivery. The card names it before any other. */
const UNSETTLED: readonly EarlierPurchase['state'][] = ['unknown', 'failed', 'unreported'];

/** States of an invoice that can still be paid or may have been. */
const INVOICE_STATES: readonly EarlierPurchase['state'][] = ['invoice', 'sale', 'unreported'];

/**
 * Returns whether the purchase that a user's card points out has changed since, for example because that invoice was paid.
 * Reads one record, and none for a purchase that is settled.
 */
export async function hasEarlierPurchaseChanged(
  deps: EarlierPurchaseDeps,
  user: number,
  { state, id }: EarlierPurchase,
): Promise<boolean> {
  if (id === undefined) return false;
  const ref = { user, id };
  if (INVOICE_STATES.includes(state))
    return (await invoiceOf(deps, ref))?.state !== (state === 'sale' ? 'invoice' : state);
  if (!UNSETTLED.includes(state)) return false;
  const operation = await deps.operations.drafts.find(ref);
  return (operation && (await purchaseOf(deps, operation)))?.state !== state;
}

/** Returns the invoice that an operation made, if it is paid at this address. */
function invoicePaidAt(address: string, operation: Operation): EarlierPurchase | undefined {
  if (operation.state !== 'done') return undefined;
  const { order, invoice } = operation.result;
  if (invoice?.paymentAddress !== address) return undefined;
  const { energy, expiresAt: until } = invoice;
  return {
    state: 'pay-to',
    id: operation.id,
    invoice: order,
    energy,
    hours: 1,
    at: operation.settledAt,
    until,
  };
}

async function purchaseOf(
  deps: EarlierPurchaseDeps,
  operation: Operation,
): Promise<EarlierPurchase | undefined> {
  const { id, request } = operation;
  const kind = deps.operations.kinds.of(request);
  if (kind.name === invoiceKind.name) return invoiceOf(deps, operation);
  const now = deps.now();
  const [energy, hours] = [kind.rentedEnergy?.(request), kind.rentedHours?.(request)];
  if (energy === undefined || hours === undefined) return undefined;
  if (isConfirmed(operation) && (isUnresolved(operation) || isLikely(operation))) {
    const at = operation.claimedAt;
    const until = at + hours * HOUR_MS;
    const state = isLikely(operation) ? 'likely' : 'unknown';
    // A purchase of unknown result may still be charged when its energy would be over.
    if (state === 'likely' && until <= now) return undefined;
    return { state, id, energy, hours, at, until };
  }
  if (operation.state === 'done' && missingRefundOf(operation.result) !== undefined) {
    const { attempt, result } = operation;
    const until = attempt.sentAt + hours * HOUR_MS;
    return until <= now
      ? undefined
      : { state: 'failed', id, invoice: result.order, energy, hours, at: attempt.sentAt, until };
  }
  const until = rentedUntil(kind, operation);
  if (operation.state !== 'done' || until === undefined || until <= now) return undefined;
  const { attempt, result } = operation;
  const at = attempt.sentAt;
  const isThere = orderStateOf(kind, operation, now) === 'delivered';
  const onItsWay = now - at < ARRIVING_MS ? 'arriving' : 'unseen';
  const state = isThere ? 'there' : result.refund?.balance === 'either' ? 'returned' : onItsWay;
  return { state, id, energy: result.delivered ?? energy, hours, at, until };
}

async function invoiceOf(
  { invoices, now }: EarlierPurchaseDeps,
  { user, id }: OperationRef,
): Promise<EarlierPurchase | undefined> {
  const found = await invoices.read({ user, id });
  if (found === undefined) return undefined;
  const { energy, hours, createdAt, paidAt = createdAt, delegatedAt = paidAt, delivered = energy } = found;
  const until = delegatedAt + hours * HOUR_MS;
  switch (displayedStateOf(found, now())) {
    case 'open':
    case 'ending':
      return {
        state: 'invoice',
        id,
        invoice: found.number,
        energy,
        hours,
        at: createdAt,
        until: found.expiresAt,
      };
    case 'unreported':
      return { state: 'unreported', id, invoice: found.number, energy, hours, at: createdAt, until };
    case 'paid':
    case 'late':
      return { state: 'arriving', id, energy, hours, at: paidAt, until };
    case 'delivered':
    case 'partial':
      return until <= now() ? undefined : { state: 'there', id, energy: delivered, hours, at: paidAt, until };
    default:
      return undefined;
  }
}
