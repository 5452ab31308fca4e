import { z } from 'zod';
import { count, energyHours, time, unit } from './fields.ts';

const anyOrder = z.strictObject({
  id: count,
  accountId: count,
  address: z.string(),
  amount: count,
  price: unit,
  createdAt: time,
  status: z.enum(['pending', 'filled', 'failed']),
});

export const order = z.discriminatedUnion('kind', [
  anyOrder.extend({ kind: z.literal('energy'), durationHours: energyHours }),
  anyOrder.extend({ kind: z.literal('bandwidth'), durationHours: count }),
]);
