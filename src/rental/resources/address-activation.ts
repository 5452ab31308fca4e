import { z } from 'zod';
import { optional, transactionHash } from './fields.ts';

/** Section 4, endpoint 3. Without a `tx_hash` if the address wasn't activated. */
export const AddressActivation = z.looseObject({
  success: z.boolean(),
  tx_hash: optional(transactionHash),
});

export type AddressActivation = z.infer<typeof AddressActivation>;
