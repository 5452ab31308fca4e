import type { Accounts } from './accounts.ts';
import { type Account, nextId, type Webhook, type WebhookLogEntry } from './state.ts';
import { deliver } from './webhook-delivery.ts';
import type { World } from './world.ts';

/** Delays between attempts, by the sandbox's clock. */
const RETRY_DELAYS_MS = [1_000, 5_000, 25_000];
const LOG_LENGTH = 100;

export interface Webhooks {
  /** Sets the account's only URL with a new secret. An empty URL removes the webhook. */
  configure(account: Account, url: string): Webhook | undefined;
  /**
   * Sends a signed event to the account's URL, if it has one. Retries up to three times until the response is 2xx within the
   * timeout. A retry uses the URL and secret that are set at its time.
   */
  emit(account: Account, eventType: string, data: Record<string, unknown>): void;
  /** Returns the account's 100 latest deliveries, newest first. */
  logOf(account: Account): WebhookLogEntry[];
}

export function createWebhooks(deps: {
  world: World;
  accounts: Accounts;
  random: (size: number) => Uint8Array;
  timeoutMs: number;
}): Webhooks {
  const { world, accounts, random, timeoutMs } = deps;

  const attempt = async (account: Account, entry: WebhookLogEntry, body: string) => {
    if (!account.webhook) return;
    const { life } = world;
    const status = await deliver({ ...account.webhook, body, timeoutMs, signal: life });
    if (life.aborted) return;
    entry.attempts += 1;
    entry.responseStatus = status;
    world.changed();
    const delay = RETRY_DELAYS_MS[entry.attempts - 1];
    if (delay === undefined || (status >= 200 && status < 300)) return;
    world.later(delay, () => void attempt(account, entry, body));
  };

  return {
    configure(account, url) {
      const secret = `whsec_${Buffer.from(random(24)).toString('hex')}`;
      account.webhook = url === '' ? undefined : { url, secret };
      accounts.enter(account, { kind: 'webhook' });
      return account.webhook;
    },
    emit(account, eventType, data) {
      if (!account.webhook) return;
      const createdAt = world.clock.now();
      const entry: WebhookLogEntry = {
        id: nextId(world.state, 'webhookLog'),
        accountId: account.id,
        eventType,
        payload: data,
        createdAt,
        responseStatus: 0,
        attempts: 0,
      };
      world.state.webhookLog.push(entry);
      world.changed();
      const body = JSON.stringify({ event: eventType, data, timestamp: new Date(createdAt).toISOString() });
      void attempt(account, entry, body);
    },
    logOf: (account) =>
      world.state.webhookLog
        .filter((entry) => entry.accountId === account.id)
        .slice(-LOG_LENGTH)
        .reverse(),
  };
}
