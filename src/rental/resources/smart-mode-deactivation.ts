import { z } from 'zod';
import { chainAddress, optional, recordId, said, status } from './fields.ts';

/** Section 4, endpoint 9: the subscription's end; `message` is for people. */
export const SmartModeDeactivation = z.looseObject({
  id: recordId,
  address: chainAddress,
  status,
  message: optional(said(200)),
});

export type SmartModeDeactivation = z.infer<typeof SmartModeDeactivation>;
