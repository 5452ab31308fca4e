import { z } from 'zod';
import { txHash } from './fields.ts';

export const activation = z
  .strictObject({
    success: z.boolean(),
    tx_hash: txHash.describe('Activation transaction hash.'),
  })
  .describe('Section 4, endpoint 3.');
