import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Webhook } from './telegram-stand-in.ts';

/** The bot's `max_connections`. */
const CONNECTIONS = 40;
const RETRY_DELAY_MS = 100;
const TRIES = 300;

/** Sends updates to the webhook and retries each until it is accepted. */
export function createPushing() {
  const pools = new Map<string, Pool>();
  const known = new Map<string, { webhook: Webhook; pool: Pool }>();
  let sentAgain = 0;

  return {
    to(name: string, webhook: Webhook): void {
      const { origin } = new URL(webhook.url);
      const pool = pools.get(origin) ?? new Pool(origin, { connections: CONNECTIONS });
      pools.set(origin, pool);
      known.set(name, { webhook, pool });
    },
    async push(name: string, update: object): Promise<void> {
      const body = JSON.stringify(update);
      for (let tries = 0; tries < TRIES; tries++) {
        const target = known.get(name);
        if (target === undefined) throw new Error(`no webhook is set for ${name}`);
        const { webhook, pool } = target;
        const path = new URL(webhook.url).pathname;
        const headers = {
          'content-type': 'application/json',
          'x-telegram-bot-api-secret-token': webhook.secret,
        };
        const answer = await pool.request({ method: 'POST', path, headers, body }).catch(() => undefined);
        await answer?.body.dump().catch(() => undefined);
        if (answer?.statusCode === 200) return;
        sentAgain += 1;
        await delay(RETRY_DELAY_MS);
      }
      throw new Error('an update was never accepted');
    },
    sentAgain: () => sentAgain,
  };
}
