import { z } from 'zod';
import { eventData, named, numeric, optional, recordId, timestamp } from './fields.ts';

/** Section 2, webhook log entry. `response_status` may be missing if there was no response. */
export const WebhookLogEntry = z.looseObject({
  id: recordId,
  event_type: named(100),
  payload: eventData,
  response_status: optional(numeric),
  attempts: numeric,
  created_at: timestamp,
});

export type WebhookLogEntry = z.infer<typeof WebhookLogEntry>;
