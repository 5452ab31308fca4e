import { Hono } from 'hono';
import { z } from 'zod';
import { type Clock, createClock } from './clock.ts';
import { ownPagesOnly } from './own-pages.ts';
import { servePage } from './page/assets.ts';
import { endpoints } from './rental/endpoints/endpoints.ts';
import {
  createRentalSandbox,
  type RentalSandbox,
  type RentalSandboxOptions,
} from './rental/rental-sandbox.ts';
import { createTelegramSandbox, type TelegramSandbox } from './telegram/telegram-sandbox.ts';

/** Request handler as Hono's servers call it. `env` contains the connection. */
export type Fetch = (request: Request, env?: object) => Response | Promise<Response>;

export interface SandboxOptions extends Omit<RentalSandboxOptions, 'clock'> {
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
  behind(fetch: Fetch): void;
  /** Restores the initial accounts, orders and chats. Doesn't reset the clock. */
  reset(): void;
  /** Ends streams and timers. A stopped sandbox can't be restarted. */
  stop(): void;
}

const LONGEST_MOVE_SECONDS = 366 * 24 * 60 * 60;
const move = z.strictObject({ advance_seconds: z.number().min(0).max(LONGEST_MOVE_SECONDS) });

const notFound = () => Response.json({ error: 'Not Found' }, { status: 404 });

/**
 * Creates the sandbox: the rental service at `/api/v1/…` with its OpenAPI document and page, Telegram at
 * `/telegram/bot<token>/…`, the chat page at `/` and the control API below `/sandbox`. All use one clock. To be served by
 * `@hono/node-server`, so that connections can be cut.
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { token, clock = createClock(), limits, ...ofRental } = options;
  const rental = createRentalSandbox({ clock, ...ofRental });
  const telegram = createTelegramSandbox({ clock, token, limits });
  let next: Fetch = notFound;

  const reset = () => {
    rental.reset();
    telegram.reset();
  };

  const app = new Hono<{ Bindings: object }>()
    .use(ownPagesOnly)
    .route('/api', rental.api)
    .route('/telegram', telegram.api)
    .route('/sandbox/rental', rental.control)
    .route('/sandbox/telegram', telegram.control)
    .route('/', servePage());
  app.get('/sandbox/endpoints', (c) => c.json(endpoints.map(({ name }) => name)));
  app.get('/sandbox/clock', (c) => c.json({ now: clock.now() }));
  app.post('/sandbox/clock', async (c) => {
    const asked = move.safeParse(await c.req.json().catch(() => undefined));
    if (!asked.success)
      return c.json({ error: 'Expected {"advance_seconds": seconds, at most a year}' }, 400);
    clock.advance(asked.data.advance_seconds * 1000);
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
    behind(fetch) {
      next = fetch;
    },
    reset,
    stop() {
      rental.stop();
      telegram.stop();
    },
  };
}
