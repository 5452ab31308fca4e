import { flag } from './fields.ts';
import { method } from './method.ts';

export const deleteWebhook = method(
  'deleteWebhook',
  { drop_pending_updates: flag.default(false) },
  ({ drop_pending_updates }, { updates, delivery }) => {
    if (drop_pending_updates) updates.clear();
    delivery.use(undefined);
    return true;
  },
);
