import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { SmartModeSubscription } from '../resources/smart-mode-subscription.ts';
import type { Endpoint } from './endpoint.ts';

/** An entry that can't be read spoils the list: one that seems to be missing would prove something. */
export const subscriptions: Endpoint<undefined, SmartModeSubscription[]> = {
  name: 'subscriptions',
  kind: 'read',
  method: 'GET',
  path: '/smart-mode/subscriptions',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: z.array(SmartModeSubscription),
};
