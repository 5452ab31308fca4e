import { BigNumber } from 'bignumber.js';
import { formatTrx } from '../../rental-api/amounts.ts';
import type { Outcome } from '../../rental-api/http.ts';
import { numeric, recordId } from '../../rental-api/schemas.ts';
import type { RentalEvent } from '../../rental-api/webhook.ts';
import type { OrderReport, Result } from './kind.ts';

const STATUS = new Map<string, OrderReport['status']>([
  ['order.filled', 'filled'],
  ['order.failed', 'failed'],
]);

/** Converts the reply to a purchase into a result (specification, section 2). */
export function orderResult(
  outcome: Outcome<{ order_id: number; status: string; price_trx?: string | undefined }>,
): Outcome<Result> {
  if (outcome.kind !== 'accepted') return outcome;
  const { order_id, status, price_trx } = outcome.value;
  const price = price_trx === undefined ? undefined : formatTrx(new BigNumber(price_trx));
  return { kind: 'accepted', value: { order: order_id, status, price } };
}

/**
 * Parses `order.filled` and `order.failed` events (specification, section 6). Energy and bandwidth orders are numbered
 * separately. The amount in `field` shows that an order belongs to `namespace`.
 */
export function orderReport(
  event: RentalEvent,
  { namespace, field }: { namespace: string; field: string },
): OrderReport | undefined {
  const { address } = event.data;
  const status = STATUS.get(event.type);
  const order = recordId.safeParse(event.data.order_id).data;
  // Without the amount the namespace is unknown: an order of the other kind may have the same number.
  const amount = numeric.safeParse(event.data[field]).data;
  if (status === undefined || order === undefined || amount === undefined) return undefined;
  return {
    order,
    namespace,
    status,
    amount,
    at: event.at === undefined ? undefined : Date.parse(event.at),
    address: typeof address === 'string' ? address : undefined,
  };
}
