import { z } from 'zod';
import { count, time, unit } from './fields.ts';

export const account = z.strictObject({
  id: count,
  email: z.string(),
  key: z.string(),
  chainAddress: z.string(),
  depositAddress: z.string(),
  totpSecret: z.string().optional(),
  createdAt: time,
  openingBalance: unit,
  balance: unit,
  usedTotpSteps: z.array(count),
  webhook: z.strictObject({ url: z.string(), secret: z.string() }).optional(),
});
