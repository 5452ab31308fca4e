import { z } from 'zod';
import { conflict } from '../refusal.ts';
import { integer, parsed } from './fields.ts';
import { method } from './method.ts';

const MAX_TIMEOUT_S = 50;

export const getUpdates = method(
  'getUpdates',
  {
    offset: integer.default(0),
    limit: integer.default(100),
    timeout: integer.default(0),
    allowed_updates: parsed(z.array(z.string())).optional(),
  },
  ({ offset, limit, timeout, allowed_updates }, { updates, polling, delivery }, { signal }) => {
    if (delivery.webhook()) {
      throw conflict(
        "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    }
    if (allowed_updates) updates.allow(allowed_updates);
    return polling.poll(
      {
        offset,
        limit: limit >= 1 && limit <= 100 ? limit : 100,
        timeoutMs: Math.min(timeout, MAX_TIMEOUT_S) * 1_000,
      },
      signal,
    );
  },
);
