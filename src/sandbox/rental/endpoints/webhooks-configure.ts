import { z } from 'zod';
import { post } from '../endpoint.ts';
import { text } from '../fields.ts';

const EXPECTED = 'an HTTPS URL (http on loopback only), or an empty string to remove the webhook';

const body = z.object({
  url: text(EXPECTED).refine((url) => url === '' || isWebhookUrl(url), { error: `expected ${EXPECTED}` }),
});

export const webhooksConfigure = post('/webhooks/configure', { body }, ({ account, parts, body }) => {
  const webhook = parts.webhooks.configure(account, body.url);
  return {
    url: webhook?.url ?? '',
    secret: webhook?.secret ?? '',
    active: webhook !== undefined,
    created_at: new Date(parts.world.clock.now()).toISOString(),
  };
});

function isWebhookUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
  );
}
