import { Hono } from 'hono';
import type { Log } from '../platform/log.ts';
import { createInvoicePageRoutes, type InvoicePage } from './invoice-page/invoice-page.ts';
import { type RentalWebhook, rentalWebhook, type TelegramWebhook, telegramWebhook } from './webhooks.ts';

/** Checks whether the app is ready. A text is the reason why it isn't. */
export type Readiness = () => Promise<boolean | string>;

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
  web.route('/', createHealthRoutes(ready, log));
  if (updates) web.route('/', telegramWebhook(updates, log));
  if (events) web.route('/', rentalWebhook(events));
  if (invoicePage) web.route('/', createInvoicePageRoutes(invoicePage, log));
  web.notFound((c) => c.body(null, 404));
  web.onError((err, c) => {
    // The client disconnected before its request was complete.
    if (c.req.raw.signal.aborted) return c.body(null, 400);
    log.error({ err }, 'a request failed');
    return c.body(null, 500);
  });

  return { fetch: async (request, env) => web.fetch(request, env) };
}

/** Serves `/livez` (the process responds) and `/readyz` (the app is ready). The reason for not being ready is only logged. */
function createHealthRoutes(ready: Readiness, log: Log): Hono {
  const routes = new Hono();
  let problem: string | undefined;

  async function findProblem(): Promise<string | undefined> {
    try {
      const result = await ready();
      return result === true ? undefined : result || 'not ready';
    } catch (error) {
      return error instanceof Error ? error.message : 'not ready';
    }
  }

  routes.get('/livez', (c) => c.text('ok'));
  routes.get('/readyz', async (c) => {
    const before = problem;
    problem = await findProblem();
    if (problem && problem !== before) log.warn({ reason: problem }, 'not ready');
    return problem ? c.body(null, 503) : c.text('ok');
  });
  return routes;
}
