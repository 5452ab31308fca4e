import { z } from 'zod';
import { eventData, named, recordId, timestamp } from './fields.ts';

/** Section 2, webhook log entry. A delivery that nobody answered may have no `response_status`. */
export const WebhookLogEntry = z.looseObject({
  id: recordId,
  event_type: named(100),
  payload: eventData,
  response_status: z.number().nullish(),
  attempts: z.number(),
  created_at: timestamp,
});

export type WebhookLogEntry = z.infer<typeof WebhookLogEntry>;
