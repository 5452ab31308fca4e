import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { type Clock, createClock } from './clock.ts';
import { servePage } from './page/assets.ts';
import { endpoints } from './rental/endpoints.ts';
import {
  createRentalSandbox,
  type RentalSandbox,
  type RentalSandboxOptions,
} from './rental/rental-sandbox.ts';
import { createTelegramSandbox, type TelegramSandbox } from './telegram/telegram-sandbox.ts';

/** Loopback only, so that other machines can't access the sandbox. */
export const HOST = '127.0.0.1';

/** Serves `fetch` on loopback. Port 0 means any free port. */
export async function listen(fetch: Fetch, port: number): Promise<{ port: number; server: Server }> {
  const server = createAdaptorServer({ fetch }) as Server;
  // Prevents requests from failing because their idle connection is closed at the same time.
  server.keepAliveTimeout = 0;
  server.listen(port, HOST);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, server };
}

const HOST_NAMES = ['localhost', '127.0.0.1', '[::1]'];
/** Pages that links from other sites may open. The linking site can't read them. */
const LINKABLE_PAGES = ['/', '/api/docs'];
const CONTROL = '/sandbox/';
const MESSAGES = /^\/sandbox\/telegram\/chats\/[^/]+\/messages$/;

/**
 * Middleware that rejects requests of other sites in the same browser:
 * - Rejects unknown host names (DNS rebinding) and other origins.
 * - Requires JSON bodies for the control API, because forms can't send them. A message with a file is an exception.
 *
 * Clients other than browsers send neither `Origin` nor `Sec-Fetch-Site` and are accepted.
 */
const rejectOtherSites: MiddlewareHandler<{ Bindings: Partial<HttpBindings> }> = async (c, next) => {
  const { protocol, host, hostname, port } = new URL(c.req.url);
  // Decoded, as the router uses it.
  const pathname = c.req.path;
  const listening = c.env.incoming?.socket.localPort;
  if (!HOST_NAMES.includes(hostname) || (listening !== undefined && Number(port || 80) !== listening)) {
    return c.json({ error: `The sandbox answers to ${HOST_NAMES.join(', ')} and its port only.` }, 403);
  }
  const origin = c.req.header('origin');
  const isForeign = origin !== undefined && origin !== `${protocol}//${host}`;
  if (isForeign || !(isOwnFetch(c) || opensDocument(c, pathname))) {
    return c.json({ error: 'The sandbox answers to its own pages only.' }, 403);
  }
  if (pathname.startsWith(CONTROL) && hasBody(c) && !isJson(c) && !isMessageWithFile(c, pathname)) {
    return c.json({ error: 'Expected a body of the type application/json.' }, 415);
  }
  return next();
};

/** https://www.w3.org/TR/fetch-metadata/ */
function isOwnFetch(c: Context): boolean {
  return ['same-origin', 'none'].includes(c.req.header('sec-fetch-site') ?? 'none');
}

function opensDocument(c: Context, path: string): boolean {
  const isNavigation =
    c.req.header('sec-fetch-mode') === 'navigate' && c.req.header('sec-fetch-dest') === 'document';
  return c.req.method === 'GET' && isNavigation && LINKABLE_PAGES.includes(path);
}

function hasBody(c: Context): boolean {
  return Number(c.req.header('content-length') ?? 0) > 0 || c.req.header('transfer-encoding') !== undefined;
}

function isMessageWithFile(c: Context, path: string): boolean {
  return MESSAGES.test(path) && /^multipart\/form-data\s*;/i.test(c.req.header('content-type') ?? '');
}

function isJson(c: Context): boolean {
  return /^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '');
}

/** Request handler as Hono's servers call it. `env` contains the connection. */
type Fetch = (request: Request, env?: object) => Response | Promise<Response>;

interface SandboxOptions extends Omit<RentalSandboxOptions, 'clock'> {
  /** Bot token that the simulated Telegram accepts. */
  token: string;
  clock?: Clock;
  /** Message limits of the simulated Telegram. `false` disables them. */
  limits?: { perSecond: number; perChatPerSecond: number } | false;
}

export interface Sandbox {
  clock: Clock;
  rental: RentalSandbox;
  telegram: TelegramSandbox;
  fetch: Fetch;
  /** Sets the handler of requests to other paths. */
  setFallback(fetch: Fetch): void;
  /** Restores the initial accounts, orders and chats. Doesn't reset the clock. */
  reset(): void;
  /** Ends streams and timers. A stopped sandbox can't be restarted. */
  stop(): void;
}

const MAX_ADVANCE_SECONDS = 366 * 24 * 60 * 60;
const clockMove = z.strictObject({ advance_seconds: z.number().min(0).max(MAX_ADVANCE_SECONDS) });

const notFound = () => Response.json({ error: 'Not Found' }, { status: 404 });

/**
 * Creates the sandbox: the rental service at `/api/v1/…` with its OpenAPI document and page, Telegram at
 * `/telegram/bot<token>/…`, the chat page at `/` and the control API below `/sandbox`. All use one clock. To be served by
 * `@hono/node-server`, so that connections can be cut.
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { token, clock = createClock(), limits, ...rentalOptions } = options;
  const rental = createRentalSandbox({ clock, ...rentalOptions });
  const telegram = createTelegramSandbox({ clock, token, limits });
  let next: Fetch = notFound;

  const reset = () => {
    rental.reset();
    telegram.reset();
  };

  const stateTime: MiddlewareHandler = async (c, next) => {
    await next();
    c.header('Date', new Date(clock.now()).toUTCString());
  };
  const app = new Hono<{ Bindings: object }>()
    .use(rejectOtherSites)
    .use('/api/*', stateTime)
    .use('/telegram/*', stateTime)
    .route('/api', rental.api)
    .route('/telegram', telegram.api)
    .route('/sandbox/rental', rental.control)
    .route('/sandbox/telegram', telegram.control)
    .route('/', servePage());
  app.get('/sandbox/endpoints', (c) => c.json(endpoints.map(({ name }) => name)));
  app.get('/sandbox/clock', (c) => c.json({ now: clock.now() }));
  app.post('/sandbox/clock', async (c) => {
    const body = clockMove.safeParse(await c.req.json().catch(() => undefined));
    if (!body.success) return c.json({ error: 'Expected {"advance_seconds": seconds, at most a year}' }, 400);
    clock.advance(body.data.advance_seconds * 1000);
    return c.json({ now: clock.now() });
  });
  app.post('/sandbox/reset', (c) => {
    reset();
    return c.json({ now: clock.now() });
  });
  app.all('/sandbox/*', notFound);
  app.notFound((c) => next(c.req.raw, c.env));

  return {
    clock,
    rental,
    telegram,
    fetch: (request, env = {}) => app.fetch(request, env),
    setFallback(fetch) {
      next = fetch;
    },
    reset,
    stop() {
      rental.stop();
      telegram.stop();
    },
  };
}
