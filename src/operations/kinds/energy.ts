import { z } from 'zod';
import { formatTrx, parseTrx } from '../../rental/money.ts';
import type { OperationKind } from './kind.ts';

export const energyRequest = z.object({
  kind: z.literal('energy'),
  address: z.string(),
  energy_amount: z.number(),
  duration_hours: z.number(),
});

/** Specification, section 4, endpoint 1: the cost is deducted from the balance. */
export const energy: OperationKind<z.infer<typeof energyRequest>> = {
  request: energyRequest,
  lifetimeMs: 5 * 60_000,
  async send(rental, apiKey, { kind: _, ...order }) {
    const outcome = await rental.buyEnergy(apiKey, order);
    if (outcome.kind !== 'accepted') return outcome;
    const { order_id, status, price_trx } = outcome.value;
    const price = parseTrx(price_trx);
    return { kind: 'accepted', value: { order: order_id, status, price: price && formatTrx(price) } };
  },
  fits: (request, report) =>
    report.address === request.address && report.energyAmount === request.energy_amount,
};
