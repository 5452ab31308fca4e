import { get } from '../endpoint.ts';
import { subscriptionRecord } from '../subscription.ts';

export const smartModeSubscriptions = get('/smart-mode/subscriptions', ({ account, parts }) =>
  parts.smartMode.of(account).map(subscriptionRecord),
);
