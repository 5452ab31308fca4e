import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { SmartModeSubscription } from '../resources/smart-mode-subscription.ts';
import type { Endpoint } from './endpoint.ts';

/** An unreadable entry invalidates the list, because a missing entry would count as evidence. */
export const subscriptions: Endpoint<undefined, SmartModeSubscription[]> = {
  name: 'subscriptions',
  kind: 'read',
  method: 'GET',
  path: '/smart-mode/subscriptions',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: z.array(SmartModeSubscription),
};
