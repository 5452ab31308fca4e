import { Hono } from 'hono';
import type { Log } from '../platform/log.ts';
import { health, type Readiness } from './health.ts';
import { type InvoicePage, invoicePage as pageOfInvoice } from './invoice-page/invoice-page.ts';
import { type RentalWebhook, rentalWebhook, type TelegramWebhook, telegramWebhook } from './webhooks.ts';

export interface Web {
  /** `env` contains the connection from Node's server. */
  fetch(request: Request, env?: object): Promise<Response>;
}

export interface WebOptions {
  log: Log;
  updates?: TelegramWebhook;
  events?: RentalWebhook;
  invoicePage?: InvoicePage;
  ready: Readiness;
}

/** Creates the HTTP routes of the bot. Paths may be secret, so none is logged. */
export function createWeb({ log, updates, events, invoicePage, ready }: WebOptions): Web {
  const web = new Hono();

  web.use(async (c, next) => {
    // Set before the response exists. Setting headers later would copy the response.
    c.header('X-Content-Type-Options', 'nosniff');
    c.header('Referrer-Policy', 'no-referrer');
    c.header('Cache-Control', 'no-store');
    await next();
  });
  web.route('/', health(ready, log));
  if (updates) web.route('/', telegramWebhook(updates, log));
  if (events) web.route('/', rentalWebhook(events));
  if (invoicePage) web.route('/', pageOfInvoice(invoicePage, log));
  web.notFound((c) => c.body(null, 404));
  web.onError((err, c) => {
    // The client disconnected before its request was complete.
    if (c.req.raw.signal.aborted) return c.body(null, 400);
    log.error({ err }, 'a request failed');
    return c.body(null, 500);
  });

  return { fetch: async (request, env) => web.fetch(request, env) };
}
