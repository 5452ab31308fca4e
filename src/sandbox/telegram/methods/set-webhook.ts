import { z } from 'zod';
import { badRequest } from '../refusal.ts';
import { flag, integer, parsed, text } from './fields.ts';
import { method } from './method.ts';

const PORTS = ['', '443', '80', '88', '8443'];

export const setWebhook = method(
  'setWebhook',
  {
    url: text.default(''),
    secret_token: text.optional(),
    max_connections: integer.default(40),
    allowed_updates: parsed(z.array(z.string())).optional(),
    drop_pending_updates: flag.default(false),
  },
  (
    { url, secret_token, max_connections, allowed_updates, drop_pending_updates },
    { updates, polling, delivery },
  ) => {
    if (url !== '') checkUrl(url);
    if (secret_token && secret_token.length > 256) throw badRequest('secret token is too long');
    if (secret_token && !/^[A-Za-z0-9_-]+$/.test(secret_token)) {
      throw badRequest('secret token contains unallowed characters');
    }
    if (drop_pending_updates) updates.clear();
    if (allowed_updates) updates.allow(allowed_updates);
    if (url === '') {
      delivery.use(undefined);
    } else {
      polling.interrupt('setWebhook request');
      const maxConnections = Math.min(100, Math.max(1, max_connections));
      delivery.use({ url, maxConnections, secretToken: secret_token || undefined });
    }
    return true;
  },
);

/** Requires https on one of Telegram's four ports. On loopback, which Telegram can't reach, allows http and any port. */
function checkUrl(text: string): void {
  if (!URL.canParse(text)) throw badRequest('invalid webhook URL specified');
  const { protocol, hostname, port } = new URL(text);
  if (/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) && /^https?:$/.test(protocol)) return;
  if (protocol !== 'https:') throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
  if (!PORTS.includes(port)) {
    throw badRequest('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443');
  }
}
