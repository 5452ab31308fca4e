import { z } from 'zod';
import { flag, optional, timestamp } from './fields.ts';

const textOrNothing = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

/** Section 2, webhook configuration. `url` and `secret` are empty once the webhook is removed (section 4, endpoint 16). */
export const WebhookConfiguration = z.looseObject({
  url: textOrNothing,
  secret: textOrNothing,
  active: flag,
  created_at: optional(timestamp),
});

export type WebhookConfiguration = z.infer<typeof WebhookConfiguration>;
