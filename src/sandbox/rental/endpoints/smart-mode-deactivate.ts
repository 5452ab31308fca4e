import { postWithoutBody } from '../endpoint.ts';

export const smartModeDeactivate = postWithoutBody(
  '/smart-mode/{subscription_id}/deactivate',
  ({ account, parts, params }) => {
    const { id, address, status } = parts.smartMode.deactivate(account, params.subscription_id);
    return { id, address, status, message: `Smart Mode has ended for ${address}` };
  },
);
