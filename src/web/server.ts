import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { WebhookSubscription } from '../accounts/webhook-subscriptions.ts';
import { type Log, reportFailure } from '../platform/log.ts';
import { createCallLimiter, limitBody } from './http-server.ts';
import { createInvoicePageRoutes, type InvoicePage } from './invoice-page/invoice-page.ts';
import { createTelegramWebhook, type TelegramWebhook } from './telegram-webhook.ts';

export interface WebOptions {
  log: Log;
  updates?: TelegramWebhook;
  events?: RentalWebhook;
  invoicePage?: InvoicePage;
  /** Returns whether this replica takes requests, and its failing health checks. */
  readiness: () => Readiness;
  /** Returns whether requests are handled. Senders repeat those that are rejected during the start. */
  isOpen: () => boolean;
}

interface Readiness {
  version: string;
  isReady: boolean;
  phase: 'starting' | 'running' | 'stopping';
  /** Severity by the name of the check. */
  failing: Readonly<Record<string, 'warning' | 'error'>>;
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

const MAX_EVENT_BYTES = 64 * 1024;
/** Maximum length of a secret path. Ours have 43 characters. */
const MAX_SECRET_LENGTH = 100;
const EVENTS_PER_SECOND = 50;

/** Headers of every response. */
const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** Creates the HTTP routes of the bot. Paths may be secret, so none is logged. */
export function createWeb({ log, updates, events, invoicePage, readiness, isOpen }: WebOptions) {
  const web = new Hono();

  web.use(async (c, next) => {
    // Set before the response exists. Setting headers later would copy the response.
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
    await next();
  });
  web.route('/', createHealthRoutes(readiness));
  web.use(async (c, next) => (isOpen() ? next() : c.body(null, 503, { 'Retry-After': '1' })));
  if (events) web.route('/', createRentalWebhook(events));
  if (invoicePage) web.route('/', createInvoicePageRoutes(invoicePage, log));
  web.notFound((c) => c.body(null, 404));
  web.onError((err, c) => {
    // The client disconnected before its request was complete.
    if (c.req.raw.signal.aborted) return c.body(null, 400);
    reportFailure(log, { err }, 'a request failed');
    return c.body(null, 500);
  });
  const fetch = async (request: Request, env?: object): Promise<Response> => web.fetch(request, env);
  const routes = getRequestListener(fetch);
  const receiveUpdate = updates && createTelegramWebhook(updates, { log, isOpen, headers: HEADERS });

  return {
    /** Serves all routes except updates. `env` contains the connection from Node's server. */
    fetch,
    /** Serves updates, if they come by webhook. Returns whether the request was one. */
    receiveUpdate,
    /** Serves all routes. */
    listener: ((request, response) => {
      if (!receiveUpdate?.(request, response)) void routes(request, response);
    }) satisfies RequestListener,
  };
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
