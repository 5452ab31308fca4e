import { postWithoutBody } from '../endpoint.ts';
import { subscriptionRecord } from '../subscription.ts';

export const smartModeToggle = postWithoutBody(
  '/smart-mode/{subscription_id}/toggle',
  ({ account, parts, params }) => subscriptionRecord(parts.smartMode.toggle(account, params.subscription_id)),
);
