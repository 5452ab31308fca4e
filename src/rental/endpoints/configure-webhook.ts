import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { WebhookConfiguration } from '../resources/webhook-configuration.ts';
import type { Endpoint } from './endpoint.ts';

/** Https, as the specification requires. Plain http is allowed on loopback. An empty URL removes the webhook. */
const WebhookTarget = z.object({
  url: z.union([
    z.literal(''),
    z.url({ protocol: /^https$/ }),
    z.url({ protocol: /^http$/, hostname: /^(localhost|127\.0\.0\.1|\[::1\])$/ }),
  ]),
});

export type WebhookTarget = z.infer<typeof WebhookTarget>;

export const configureWebhook: Endpoint<WebhookTarget, WebhookConfiguration> = {
  name: 'configureWebhook',
  kind: 'change',
  method: 'POST',
  path: '/webhooks/configure',
  perMinute: PER_MINUTE.others,
  request: WebhookTarget,
  response: WebhookConfiguration,
};
