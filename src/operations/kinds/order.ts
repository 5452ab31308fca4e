import { formatTrx, parseTrx } from '../../rental/money.ts';
import type { Outcome } from '../../rental/outcome.ts';
import type { RentalEvent } from '../../rental/webhook.ts';
import type { OrderReport, Result } from './kind.ts';

const STATUS = new Map<string, OrderReport['status']>([
  ['order.filled', 'filled'],
  ['order.failed', 'failed'],
]);

/** What the answer to a purchase says of its order (specification, section 2). */
export function orderResult(
  outcome: Outcome<{ order_id: number; status: string; price_trx: string }>,
): Outcome<Result> {
  if (outcome.kind !== 'accepted') return outcome;
  const { order_id, status, price_trx } = outcome.value;
  const price = parseTrx(price_trx);
  // Less than nothing is no price: the order is made all the same.
  const told = price?.gte(0) ? formatTrx(price) : undefined;
  return { kind: 'accepted', value: { order: order_id, status, price: told } };
}

/**
 * Reads `order.filled` and `order.failed` (specification, section 6). Energy and bandwidth have numbers of their own, so
 * that an order is known as one of `numbering` by the amount that its report names in `field`.
 */
export function orderReport(
  event: RentalEvent,
  { numbering, field }: { numbering: string; field: string },
): OrderReport | undefined {
  const { order_id: order, address, [field]: amount } = event.data;
  const status = STATUS.get(event.type);
  if (status === undefined || typeof order !== 'number' || !Number.isSafeInteger(order)) return undefined;
  // Without an amount it doesn't tell whose number it means: an order of the other kind may have the same.
  if (typeof amount !== 'number') return undefined;
  return {
    order,
    numbering,
    status,
    amount,
    at: event.at === undefined ? undefined : Date.parse(event.at),
    address: typeof address === 'string' ? address : undefined,
  };
}
