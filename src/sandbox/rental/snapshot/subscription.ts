import { z } from 'zod';
import { count, time } from './fields.ts';

export const subscription = z.strictObject({
  id: count,
  accountId: count,
  address: z.string(),
  label: z.string().nullable(),
  bwGuarantee: z.boolean(),
  createdAt: time,
  status: z.enum(['active', 'paused', 'deactivated']),
  paidUntil: time,
  pausedAt: time.optional(),
});
