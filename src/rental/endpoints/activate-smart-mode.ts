import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { SmartModeSubscription } from '../resources/smart-mode-subscription.ts';
import type { Endpoint } from './endpoint.ts';
import { targetAddress } from './request-fields.ts';

const SmartModeActivation = z.object({
  address: targetAddress,
  label: z.string().optional(),
  /** The service's default is true. */
  bw_guarantee: z.boolean().optional(),
});

export type SmartModeActivation = z.infer<typeof SmartModeActivation>;

export const activateSmartMode: Endpoint<SmartModeActivation, SmartModeSubscription> = {
  name: 'activateSmartMode',
  kind: 'money',
  method: 'POST',
  path: '/smart-mode/activate',
  perMinute: PER_MINUTE.activateSmartMode,
  request: SmartModeActivation,
  response: SmartModeSubscription,
  echoes: (asked, subscription) => subscription.address === asked.address,
};
