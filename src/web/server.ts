import { Hono } from 'hono';
import type { Log } from '../log.ts';
import { health, type Readiness } from './health.ts';
import { type InvoicePage, invoicePage as pageOfInvoice } from './invoice-page/invoice-page.ts';
import { type RentalWebhook, rentalWebhook } from './rental-webhook.ts';
import { type TelegramWebhook, telegramWebhook } from './telegram-webhook.ts';

export interface Web {
  /** `env` is what Node's server knows of the connection. */
  fetch(request: Request, env?: object): Promise<Response>;
}

export interface WebOptions {
  log: Log;
  updates?: TelegramWebhook;
  events?: RentalWebhook;
  invoicePage?: InvoicePage;
  ready: Readiness;
}

/** Everything the bot answers over HTTP. Paths may be secret, so none is logged. */
export function createWeb({ log, updates, events, invoicePage, ready }: WebOptions): Web {
  const web = new Hono();

  web.use(async (c, next) => {
    // Before there is an answer, which would have to be made anew for them.
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
    // Who goes before the request is whole has asked for nothing.
    if (c.req.raw.signal.aborted) return c.body(null, 400);
    log.error({ err }, 'a request failed');
    return c.body(null, 500);
  });

  return { fetch: async (request, env) => web.fetch(request, env) };
}
