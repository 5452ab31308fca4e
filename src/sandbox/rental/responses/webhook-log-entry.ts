import { z } from 'zod';
import { recordId, timestamp } from './fields.ts';

export const webhookLogEntry = z
  .strictObject({
    id: recordId,
    event_type: z.string().describe('Event that triggered the webhook.'),
    payload: z.record(z.string(), z.unknown()).describe('Data that was sent.'),
    response_status: z.int().min(0).describe('What the receiver answered; 0 where it did not.'),
    attempts: z.int().min(0).describe('Delivery attempts.'),
    created_at: timestamp,
  })
  .describe('Section 2, Webhook log entry.');
