import { createHash, timingSafeEqual } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { WebhookSubscription } from '../accounts/webhook-subscriptions.ts';
import { type Log, reportFailure } from '../platform/log.ts';
import { parseJson } from '../platform/records.ts';
import { readUpdate, updateIdOf } from '../telegram/update-schema.ts';
import { type Receive, type Received, reportUnreadable } from '../telegram/updates.ts';
import { createCallLimiter, limitBody } from './http-server.ts';
import { createInvoicePageRoutes, type InvoicePage } from './invoice-page/invoice-page.ts';

export interface WebOptions {
  log: Log;
  updates?: TelegramWebhook;
  events?: RentalWebhook;
  invoicePage?: InvoicePage;
  /** Returns whether this replica takes requests, and its failing health checks. */
  readiness: () => Readiness;
}

interface Readiness {
  version: string;
  isReady: boolean;
  /** Whether requests are handled. Senders repeat those that are rejected during the start. */
  isOpen: boolean;
  phase: 'starting' | 'running' | 'stopping';
  /** Severity by the name of the check. */
  failing: Readonly<Record<string, 'warning' | 'error'>>;
}

interface TelegramWebhook {
  path: string;
  /** Accepted tokens. After a change of `SECRET_KEY`, Telegram still sends the previous one for a while. */
  secretTokens: readonly string[];
  receive: Receive;
}

export interface RentalWebhook {
  /** Path that ends in the secret part. */
  path: `/${string}/:hook`;
  signatureHeader: string;
  now: () => number;
  /** Returns the subscription of a secret path, if it exists. Called before the body is read. */
  find(path: string): Promise<WebhookSubscription | undefined>;
  /** Receives the raw body, because the signature covers its bytes. */
  receive(
    subscription: WebhookSubscription,
    rawBody: Uint8Array,
    signature: string | undefined,
  ): Promise<'accepted' | 'rejected'>;
  /** Counts a request that is rejected because of its path, rate or size. `path` is set if it exceeded the rate. */
  countRejected(why: 'hook' | 'rate' | 'size', path?: string): void;
}

const MAX_UPDATE_BYTES = 1024 * 1024;
const MAX_EVENT_BYTES = 64 * 1024;
/** Maximum length of a secret path. Ours have 43 characters. */
const MAX_SECRET_LENGTH = 100;
const EVENTS_PER_SECOND = 50;

/**
 * Creates the HTTP routes of the bot. Paths may be secret, so none is logged. `env` of `fetch` contains the connection
 * from Node's server.
 */
export function createWeb({ log, updates, events, invoicePage, readiness }: WebOptions) {
  const web = new Hono();

  web.use(async (c, next) => {
    // Set before the response exists. Setting headers later would copy the response.
    c.header('X-Content-Type-Options', 'nosniff');
    c.header('Referrer-Policy', 'no-referrer');
    c.header('Cache-Control', 'no-store');
    await next();
  });
  web.route('/', createHealthRoutes(readiness));
  web.use(async (c, next) => (readiness().isOpen ? next() : c.body(null, 503, { 'Retry-After': '1' })));
  if (updates) web.route('/', createTelegramWebhook(updates, log));
  if (events) web.route('/', createRentalWebhook(events));
  if (invoicePage) web.route('/', createInvoicePageRoutes(invoicePage, log));
  web.notFound((c) => c.body(null, 404));
  web.onError((err, c) => {
    // The client disconnected before its request was complete.
    if (c.req.raw.signal.aborted) return c.body(null, 400);
    reportFailure(log, { err }, 'a request failed');
    return c.body(null, 500);
  });

  return { fetch: async (request: Request, env?: object): Promise<Response> => web.fetch(request, env) };
}

/**
 * Serves `/livez` (the process responds) and `/readyz` (this replica takes requests). Anyone may read them, so they name
 * failing checks only; findings are in the log and on the state screen.
 */
function createHealthRoutes(readiness: WebOptions['readiness']): Hono {
  const routes = new Hono();
  routes.get('/livez', (c) => c.text('ok'));
  routes.get('/readyz', (c) => {
    const { version, phase, isReady, failing } = readiness();
    const isHealthy = isReady && Object.keys(failing).length === 0;
    const status = isHealthy ? 'ok' : isReady ? 'degraded' : 'not ready';
    const body = { status, version, ...(phase !== 'running' && { phase }), failing };
    return c.json(body, isReady ? 200 : 503);
  });
  return routes;
}

/**
 * Serves the endpoint for updates from Telegram (https://core.telegram.org/bots/api#setwebhook). Rejects requests without a
 * valid secret token. Responses are empty, because Telegram would execute a body as an API call. Telegram repeats an update
 * if the response isn't 2xx. Unreadable updates are dropped.
 */
function createTelegramWebhook({ path, secretTokens, receive }: TelegramWebhook, log: Log): Hono {
  if (secretTokens.length === 0 || secretTokens.includes('')) {
    throw new RangeError('the webhook needs a secret token');
  }
  const routes = new Hono();
  const expected = secretTokens.map(digestOf);

  routes.post(path, async (c, next) => {
    const token = c.req.header('X-Telegram-Bot-Api-Secret-Token');
    const given = token === undefined ? undefined : digestOf(token);
    // Digests have the same length, so that the comparison takes the same time for every token.
    const isValid = given !== undefined && expected.some((digest) => timingSafeEqual(digest, given));
    return isValid ? next() : c.body(null, 401);
  });
  // Telegram would repeat an update for a day if it were rejected.
  const drop = (c: Context, id: number | undefined, reason: string) => {
    reportUnreadable(log, id, reason);
    return c.body(null, 200);
  };
  routes.post(
    path,
    limitBody(MAX_UPDATE_BYTES, (c) => drop(c, undefined, 'too large')),
  );
  routes.post(path, async (c) => {
    const body = parseJson(await c.req.text());
    const read = readUpdate(body);
    if ('reason' in read) return drop(c, updateIdOf(body), read.reason);
    const { update } = read;
    const received = await receive(update).catch((err: unknown): Received => {
      reportFailure(log, { update: update.update_id, err }, 'an update failed');
      return { kind: 'failed' };
    });
    if (received.kind === 'done') return c.body(null, 200);
    const afterMs = received.kind === 'busy' ? 1_000 : received.afterMs;
    if (afterMs === undefined) return c.body(null, 500);
    return c.body(null, 503, { 'Retry-After': String(Math.ceil(afterMs / 1_000)) });
  });
  return routes;
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Serves the endpoint for events of the rental service (section 6 of the specification). Rejected requests get the response
 * of an unknown path, which reveals no reason. Requests above the rate or size limit get 429 or 413.
 */
function createRentalWebhook({ path, signatureHeader, now, find, receive, countRejected }: RentalWebhook) {
  const routes = new Hono<{ Variables: { subscription: WebhookSubscription } }>();
  const isWithinRate = createCallLimiter({ perSecond: EVENTS_PER_SECOND, now });

  routes.post(path, async (c, next) => {
    const secret = c.req.param('hook');
    // Checked before the lookup, so that the response doesn't reveal whether the subscription exists.
    if (Number(c.req.header('Content-Length') ?? 0) > MAX_EVENT_BYTES) {
      countRejected('size');
      return c.body(null, 413);
    }
    if (secret.length > MAX_SECRET_LENGTH) {
      countRejected('hook');
      return c.notFound();
    }
    if (!isWithinRate(secret)) {
      countRejected('rate', secret);
      return c.body(null, 429, { 'Retry-After': '1' });
    }
    const subscription = await find(secret);
    if (subscription === undefined) return c.notFound();
    c.set('subscription', subscription);
    return next();
  });
  const rejectTooLarge = (c: Context) => {
    countRejected('size');
    return c.body(null, 413);
  };
  routes.post(path, limitBody(MAX_EVENT_BYTES, rejectTooLarge));
  routes.post(path, async (c) => {
    const rawBody = new Uint8Array(await c.req.arrayBuffer());
    const result = await receive(c.get('subscription'), rawBody, c.req.header(signatureHeader));
    return result === 'accepted' ? c.body(null, 200) : c.notFound();
  });
  return routes;
}
