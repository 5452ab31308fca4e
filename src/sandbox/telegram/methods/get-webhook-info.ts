import { method } from './method.ts';

export const getWebhookInfo = method('getWebhookInfo', {}, (_, { updates, delivery }) => {
  const webhook = delivery.webhook();
  const error = delivery.lastError();
  const allowed = updates.allowed();
  return {
    url: webhook?.url ?? '',
    has_custom_certificate: false,
    pending_update_count: updates.waiting().length,
    ...(webhook && { max_connections: webhook.maxConnections }),
    ...(error && {
      last_error_date: Math.floor(error.at / 1_000),
      last_error_message: error.message,
    }),
    ...(allowed.length > 0 && { allowed_updates: allowed }),
  };
});
