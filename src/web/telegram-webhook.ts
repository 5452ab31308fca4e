import { createHash, timingSafeEqual } from 'node:crypto';
import type { Update } from 'grammy/types';
import { Hono } from 'hono';
import type { Log } from '../platform/log.ts';
import type { Receive, Received } from '../telegram/received.ts';
import { bodyUpTo } from './body-up-to.ts';

export interface TelegramWebhook {
  path: string;
  /** Accepted tokens. After a change of `SECRET_KEY`, Telegram still sends the previous one for a while. */
  secretTokens: readonly string[];
  receive: Receive;
}

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Serves the endpoint for updates from Telegram (https://core.telegram.org/bots/api#setwebhook). Rejects requests without a
 * valid secret token. Responses are empty, because Telegram would execute a body as an API call. Telegram repeats an update
 * if the response isn't 2xx.
 */
export function telegramWebhook({ path, secretTokens, receive }: TelegramWebhook, log: Log): Hono {
  if (secretTokens.length === 0 || secretTokens.includes('')) {
    throw new RangeError('the webhook needs a secret token');
  }
  const endpoint = new Hono();

  endpoint.post(path, async (c, next) => {
    const token = c.req.header('X-Telegram-Bot-Api-Secret-Token');
    return token !== undefined && isKnown(token, secretTokens) ? next() : c.body(null, 401);
  });
  endpoint.post(path, bodyUpTo(MAX_BODY_BYTES));
  endpoint.post(path, async (c) => {
    const update = readUpdate(await c.req.text());
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
  return endpoint;
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function isKnown(given: string, tokens: readonly string[]): boolean {
  return tokens.some((token) => isSame(given, token));
}

function readUpdate(body: string): Update | undefined {
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
