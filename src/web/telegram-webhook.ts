import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Log, reportFailure } from '../platform/log.ts';
import { parseJson } from '../platform/records.ts';
import { readUpdate, updateIdOf } from '../telegram/update-schema.ts';
import { type Receive, type Received, reportUnreadable } from '../telegram/updates.ts';

export interface TelegramWebhook {
  path: string;
  /** Accepted tokens. After a change of `SECRET_KEY`, Telegram still sends the previous one for a while. */
  secretTokens: readonly string[];
  receive: Receive;
}

const MAX_UPDATE_BYTES = 1024 * 1024;

/**
 * Creates the endpoint for updates from Telegram (https://core.telegram.org/bots/api#setwebhook). It returns whether the
 * request was for it. It uses Node's server directly, because Hono's `Request` and `Response` cost a tenth of an update.
 *
 * Rejects requests without a valid secret token, before their body is read. Responses are empty, because Telegram would
 * execute a body as an API call. Telegram repeats an update if the response isn't 2xx, for a day. Unreadable updates are
 * therefore dropped.
 */
export function createTelegramWebhook(
  { path, secretTokens, receive }: TelegramWebhook,
  deps: { log: Log; isOpen: () => boolean; headers: Readonly<Record<string, string>> },
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { log, isOpen } = deps;
  if (secretTokens.length === 0 || secretTokens.includes('')) {
    throw new RangeError('the webhook needs a secret token');
  }
  const expected = secretTokens.map((token) => Buffer.from(token));
  const headers = { ...deps.headers, 'Content-Length': '0' };

  function isSecret(token: string | string[] | undefined): boolean {
    const given = Buffer.from(String(token));
    return expected.some((secret) => secret.length === given.length && timingSafeEqual(secret, given));
  }

  function drop(id: number | undefined, reason: string): Received {
    reportUnreadable(log, id, reason);
    return { kind: 'done' };
  }

  async function receiveText(text: string | undefined): Promise<Received> {
    if (text === undefined) return drop(undefined, 'too large');
    const body = parseJson(text);
    const read = readUpdate(body);
    if ('reason' in read) return drop(updateIdOf(body), read.reason);
    try {
      return await receive(read.update);
    } catch (err) {
      reportFailure(log, { update: read.update.update_id, err }, 'an update failed');
      return { kind: 'failed' };
    }
  }

  return (request, response) => {
    if (request.url !== path || request.method !== 'POST') return false;
    const respond = (status: number, retryAfterMs?: number) => {
      const retry = retryAfterMs && { 'Retry-After': String(Math.ceil(retryAfterMs / 1_000)) };
      response.writeHead(status, { ...headers, ...retry }).end();
    };
    if (!isOpen()) respond(503, 1_000);
    else if (!isSecret(request.headers['x-telegram-bot-api-secret-token'])) respond(401);
    else {
      readText(request, async (text) => {
        const received = await receiveText(text);
        if (received.kind === 'done') return respond(200);
        const afterMs = received.kind === 'busy' ? 1_000 : received.afterMs;
        respond(afterMs === undefined ? 500 : 503, afterMs);
      });
    }
    return true;
  };
}

/** Calls `onEnd` with the body, or with `undefined` if it is too large. Not called if the client disconnects. */
function readText(request: IncomingMessage, onEnd: (text: string | undefined) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_UPDATE_BYTES) chunks.push(chunk);
  });
  request.on('end', () => onEnd(size <= MAX_UPDATE_BYTES ? Buffer.concat(chunks).toString() : undefined));
}
