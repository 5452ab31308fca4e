import { PER_MINUTE } from '../limits.ts';
import { SmartModeSubscription } from '../resources/smart-mode-subscription.ts';
import type { Endpoint } from './endpoint.ts';
import { SubscriptionChoice } from './subscription-choice.ts';

export const toggleSubscription: Endpoint<SubscriptionChoice, SmartModeSubscription> = {
  name: 'toggleSubscription',
  kind: 'change',
  method: 'POST',
  path: '/smart-mode/{subscription_id}/toggle',
  perMinute: PER_MINUTE.others,
  request: SubscriptionChoice,
  response: SmartModeSubscription,
};
