import { z } from 'zod';
import { timestamp } from './fields.ts';

export const webhookConfiguration = z
  .strictObject({
    url: z.string().describe('Empty once the webhook is removed.'),
    secret: z.string().describe('Signs the deliveries; a new one with each URL.'),
    active: z.boolean(),
    created_at: timestamp,
  })
  .describe('Section 2, Webhook configuration.');
