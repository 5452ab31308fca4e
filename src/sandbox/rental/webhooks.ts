import { createHmac } from 'node:crypto';
import { request } from 'undici';
import type { Accounts } from './accounts.ts';
import { type Account, nextId, type Webhook, type WebhookLogEntry } from './state.ts';
import type { World } from './world.ts';

interface Delivery {
  url: string;
  secret: string;
  /** Raw body, as signed and sent. */
  body: string;
  timeoutMs: number;
  /** Aborts the attempt. */
  signal: AbortSignal;
}

/** Makes one attempt. Returns the HTTP status, or 0 if there was no response. Doesn't follow redirects. */
async function deliver({ url, secret, body, timeoutMs, signal }: Delivery): Promise<number> {
  const attempt = new AbortController();
  const end = () => attempt.abort();
  const timeout = setTimeout(end, timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    const response = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-webhook-signature': sign(secret, body) },
      body,
      // Uses a new connection. A reused one that the receiver has just closed would look like a failure.
      reset: true,
      signal: attempt.signal,
    });
    await response.body.dump().catch(() => undefined);
    return response.statusCode;
  } catch {
    return 0;
  } finally {
    clearTimeout(timeout);
    signal.removeEventListener('abort', end);
  }
}

/** Returns the lower-case hex HMAC-SHA256 of the raw body. */
function sign(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

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
    const { resetSignal } = world;
    const status = await deliver({ ...account.webhook, body, timeoutMs, signal: resetSignal });
    if (resetSignal.aborted) return;
    entry.attempts += 1;
    entry.responseStatus = status;
    world.changed();
    const delay = RETRY_DELAYS_MS[entry.attempts - 1];
    if (delay === undefined || (status >= 200 && status < 300)) return;
    world.scheduleIn(delay, () => void attempt(account, entry, body));
  };

  return {
    configure(account, url) {
      const secret = `whsec_${Buffer.from(random(24)).toString('hex')}`;
      account.webhook = url === '' ? undefined : { url, secret };
      accounts.addLedgerEntry(account, { kind: 'webhook' });
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
