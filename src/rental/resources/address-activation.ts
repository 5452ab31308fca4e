import { z } from 'zod';
import { optional, transactionHash } from './fields.ts';

/** Section 4, endpoint 3. What wasn't activated has no `tx_hash`. */
export const AddressActivation = z.looseObject({
  success: z.boolean(),
  tx_hash: optional(transactionHash),
});

export type AddressActivation = z.infer<typeof AddressActivation>;
