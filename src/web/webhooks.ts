import { createHash, timingSafeEqual } from 'node:crypto';
import type { Update } from 'grammy/types';
import { Hono } from 'hono';
import type { WebhookSubscription } from '../accounts/webhook-subscriptions.ts';
import type { Log } from '../platform/log.ts';
import type { Receive, Received } from '../telegram/update-queue.ts';
import { createCallLimiter, limitBody } from './http-server.ts';

export interface RentalWebhook {
  /** Path that ends in the secret part. */
  path: `/${string}/:hook`;
  /** Name of the signature header. */
  signatureHeader: string;
  now: () => number;
  /** Returns the subscription of a secret path, if it exists. Called before the body is read. */
  find(path: string): Promise<WebhookSubscription | undefined>;
  /** Receives the raw body, because the signature covers its bytes. */
  receive(
    subscription: WebhookSubscription,
    rawBody: Uint8Array,
    signature: string | undefined,
  ): Promise<'taken' | 'refused'>;
  /** Called if a request is rejected because of its path, its rate or its size. */
  refused(why: 'hook' | 'rate' | 'size', path?: string): void;
}

const MAX_EVENT_BYTES = 64 * 1024;
/** Maximum length of a secret path. Ours have 43 characters. */
const MAX_SECRET_LENGTH = 100;
const PER_SECOND = 50;

/**
 * Serves the endpoint for events of the rental service (section 6 of the specification). Rejected requests get the response
 * of an unknown path, which reveals no reason. Requests above the rate or size limit get 429 or 413.
 */
export function rentalWebhook({ path, signatureHeader, now, find, receive, refused }: RentalWebhook) {
  const routes = new Hono<{ Variables: { subscription: WebhookSubscription } }>();
  const isWithinRate = createCallLimiter({ perSecond: PER_SECOND, now });
  routes.post(path, async (c, next) => {
    const secret = c.req.param('hook');
    // Checked before the lookup, so that the response doesn't reveal whether the subscription exists.
    if (Number(c.req.header('Content-Length') ?? 0) > MAX_EVENT_BYTES) {
      refused('size');
      return c.body(null, 413);
    }
    if (secret.length > MAX_SECRET_LENGTH) {
      refused('hook');
      return c.notFound();
    }
    if (!isWithinRate(secret)) {
      refused('rate', secret);
      return c.body(null, 429, { 'Retry-After': '1' });
    }
    const subscription = await find(secret);
    if (subscription === undefined) return c.notFound();
    c.set('subscription', subscription);
    return next();
  });
  routes.post(
    path,
    limitBody(MAX_EVENT_BYTES, () => refused('size')),
  );
  routes.post(path, async (c) => {
    const rawBody = new Uint8Array(await c.req.arrayBuffer());
    const result = await receive(c.get('subscription'), rawBody, c.req.header(signatureHeader));
    return result === 'taken' ? c.body(null, 200) : c.notFound();
  });
  return routes;
}

export interface TelegramWebhook {
  path: string;
  /** Accepted tokens. After a change of `SECRET_KEY`, Telegram still sends the previous one for a while. */
  secretTokens: readonly string[];
  receive: Receive;
}

const MAX_UPDATE_BYTES = 1024 * 1024;

/**
 * Serves the endpoint for updates from Telegram (https://core.telegram.org/bots/api#setwebhook). Rejects requests without a
 * valid secret token. Responses are empty, because Telegram would execute a body as an API call. Telegram repeats an update
 * if the response isn't 2xx.
 */
export function telegramWebhook({ path, secretTokens, receive }: TelegramWebhook, log: Log): Hono {
  if (secretTokens.length === 0 || secretTokens.includes('')) {
    throw new RangeError('the webhook needs a secret token');
  }
  const routes = new Hono();

  routes.post(path, async (c, next) => {
    const token = c.req.header('X-Telegram-Bot-Api-Secret-Token');
    return token !== undefined && isValidToken(token, secretTokens) ? next() : c.body(null, 401);
  });
  routes.post(path, limitBody(MAX_UPDATE_BYTES));
  routes.post(path, async (c) => {
    const update = parseUpdate(await c.req.text());
    if (!update) return c.body(null, 400);
    const received = await receive(update).catch((err: unknown): Received => {
      log.error({ update: update.update_id, err }, 'an update failed');
      return { kind: 'failed' };
    });
    if (received.kind === 'done') return c.body(null, 200);
    const afterMs = received.kind === 'busy' ? 1_000 : received.afterMs;
    if (afterMs === undefined) return c.body(null, 500);
    return c.body(null, 503, { 'Retry-After': String(Math.ceil(afterMs / 1_000)) });
  });
  return routes;
}

/** Compares in constant time. */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function isValidToken(given: string, tokens: readonly string[]): boolean {
  return tokens.some((token) => isEqual(given, token));
}

function parseUpdate(body: string): Update | undefined {
  try {
    const update: unknown = JSON.parse(body);
    return isUpdate(update) ? update : undefined;
  } catch {
    return undefined;
  }
}

function isUpdate(value: unknown): value is Update {
  return (
    typeof value === 'object' && value !== null && 'update_id' in value && Number.isInteger(value.update_id)
  );
}
