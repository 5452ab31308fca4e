import { PER_MINUTE } from '../limits.ts';
import { SmartModeDeactivation } from '../resources/smart-mode-deactivation.ts';
import type { Endpoint } from './endpoint.ts';
import { SubscriptionChoice } from './subscription-choice.ts';

export const deactivateSubscription: Endpoint<SubscriptionChoice, SmartModeDeactivation> = {
  name: 'deactivateSubscription',
  kind: 'change',
  method: 'POST',
  path: '/smart-mode/{subscription_id}/deactivate',
  perMinute: PER_MINUTE.others,
  request: SubscriptionChoice,
  response: SmartModeDeactivation,
};
