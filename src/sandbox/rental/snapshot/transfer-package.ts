import { z } from 'zod';
import { count, time } from './fields.ts';

export const transferPackage = z.strictObject({
  id: count,
  accountId: count,
  address: z.string(),
  size: count,
  createdAt: time,
  active: z.boolean(),
});
