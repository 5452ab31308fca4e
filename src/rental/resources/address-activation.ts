import { z } from 'zod';

/** Section 4, endpoint 3. What wasn't activated has no `tx_hash`. */
export const AddressActivation = z.looseObject({
  success: z.boolean(),
  tx_hash: z.string().nullish(),
});

export type AddressActivation = z.infer<typeof AddressActivation>;
