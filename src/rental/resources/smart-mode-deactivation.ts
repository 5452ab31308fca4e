import { z } from 'zod';
import { chainAddress, optional, recordId, said, status } from './fields.ts';

/** Response of section 4, endpoint 9. `message` is for users. */
export const SmartModeDeactivation = z.looseObject({
  id: recordId,
  address: chainAddress,
  status,
  message: optional(said(200)),
});

export type SmartModeDeactivation = z.infer<typeof SmartModeDeactivation>;
