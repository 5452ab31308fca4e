import { z } from 'zod';
import { requireAddress } from '../chain-address.ts';
import { post } from '../endpoint.ts';
import { text, whole } from '../fields.ts';
import { newInvoiceRecord } from '../invoice.ts';

const ENERGY_PER_TRANSFER = 65_000;

/** The limits of `energy_amount` don't apply to the energy of `transfer_count`: 100 transfers exceed the maximum. */
const body = z
  .object({
    address: text('a chain address: T and 33 more characters'),
    energy_amount: whole(32_000, 5_000_000).optional(),
    transfer_count: whole(1, 100).optional(),
    duration_hours: z.literal([1, 24], { error: 'expected 1 or 24' }),
  })
  .transform(({ energy_amount, transfer_count, ...rest }, context) => {
    if (energy_amount !== undefined && transfer_count === undefined) return { ...rest, energy_amount };
    if (energy_amount === undefined && transfer_count !== undefined) {
      return { ...rest, energy_amount: transfer_count * ENERGY_PER_TRANSFER };
    }
    context.addIssue('expected energy_amount or transfer_count, and only one of them');
    return z.NEVER;
  });

export const invoicesCreate = post('/invoices', { body, perMinute: 20 }, ({ account, parts, body }) =>
  newInvoiceRecord(
    parts.invoices.create(account, {
      address: requireAddress(body.address),
      energyAmount: body.energy_amount,
      durationHours: body.duration_hours,
    }),
  ),
);
