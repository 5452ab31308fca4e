import { Hono } from 'hono';
import { createClock } from '../../src/sandbox/clock.ts';
import { createRentalSandbox } from '../../src/sandbox/rental/rental-sandbox.ts';
import { listen } from '../../src/sandbox/server.ts';
import type { Limits } from '../../src/sandbox/telegram/rate-limiter.ts';
import { createTelegramSandbox } from '../../src/sandbox/telegram/telegram-sandbox.ts';
import { createForwarding } from '../chaos/forwarding.ts';
import { sandboxPerson, seedAccount } from '../chaos/people.ts';
import { createPerson } from '../support/person.ts';
import { createSandboxRequests } from '../support/sandbox-requests.ts';
import { TOKEN } from '../support/world.ts';

/** Steps of the bot that can be observed from its requests, by path. */
export const STEPS = {
  'an event comes in': /\/events\//,
  'deposits are read': /\/account\/deposits$/,
  'withdrawals are read': /\/account\/withdrawals$/,
  'the log is read': /\/webhooks\/logs$/,
  'a message is sent': /\/sendMessage$/,
  'a receipt is edited': /\/editMessageText$/,
  'a copy is made': /\/copyMessage$/,
};
export type Step = keyof typeof STEPS;

/** An event as the service sent it to the bot's address. */
export interface Delivery {
  path: string;
  signature: string;
  body: string;
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

const FIRST = 2_000;

/**
 * Starts the rental service and Telegram for `people` users, each with an account of the same number. Forwards
 * requests to the bot.
 */
export async function startSandbox(people: number, { limits = false }: { limits?: Limits | false } = {}) {
  const clock = createClock();
  const ids = Array.from({ length: people }, (_, at) => FIRST + at);
  const rental = createRentalSandbox({ clock, seed: { accounts: ids.map(seedAccount) } });
  const telegram = createTelegramSandbox({ clock, token: TOKEN, limits, people: ids.map(sandboxPerson) });
  const forwarding = createForwarding({ delivered: () => undefined });
  const deliveries: Delivery[] = [];
  const senders = new Map<string, string>();
  const secrets = new Map<string, string>();
  let passed: ((step: Step, when: 'before' | 'after') => void) | undefined;

  const app = new Hono()
    .use(async (c, next) => {
      const steps = Object.entries(STEPS) as [Step, RegExp][];
      const step = steps.find(([, path]) => path.test(c.req.path))?.[0];
      if (step) passed?.(step, 'before');
      await next();
      if (step) passed?.(step, 'after');
    })
    .use('/telegram/:process/:bot/sendMessage', async (c, next) => {
      await next();
      const { result } = (await c.res.clone().json()) as {
        result?: { message_id: number; chat: { id: number } };
      };
      if (result) senders.set(`${result.chat.id}/${result.message_id}`, c.req.param('process'));
    })
    .use('/events/*', async (c, next) => {
      const { url, headers } = c.req.raw;
      const body = await c.req.raw.clone().text();
      deliveries.push({
        path: new URL(url).pathname,
        signature: headers.get('x-webhook-signature') ?? '',
        body,
      });
      await next();
    })
    .use('/api/v1/webhooks/configure', async (c, next) => {
      await next();
      const { url, secret } = (await c.res.clone().json()) as { url?: string; secret?: string };
      if (url && secret) secrets.set(new URL(url).pathname, secret);
    })
    .route('/api', rental.api)
    .route('/telegram/:process', telegram.api)
    .route('/sandbox/rental', rental.control)
    .route('/sandbox/telegram', telegram.control)
    .route('/forwarding', forwarding.control)
    .route('/', forwarding.front);
  const { port, server } = await listen((request, env) => app.fetch(request, env), 0);
  const requests = createSandboxRequests({ fetch: (request, env) => app.fetch(request, env) });
  const origin = `http://127.0.0.1:${port}`;

  return {
    origin,
    ids,
    control: requests.ask,
    people: ids.map((chat) => ({ chat, ...createPerson({ requests, chat }) })),
    /** Returns which process of the bot sent a message: the part after `/telegram` of its Bot API address. */
    senderOf: (chat: number, message: number) => senders.get(`${chat}/${message}`),
    /** All deliveries that the service sent, and its signing secret of each path. */
    deliveries,
    secrets,
    /** Sets the address to which requests for the bot are forwarded. */
    inFrontOf: (bot: string) =>
      app.request('/forwarding', { method: 'POST', body: JSON.stringify({ origins: [bot] }) }),
    /** Sets the only listener for steps, which is called before and after each step. */
    onStep(listener: typeof passed) {
      passed = listener;
    },
    stop() {
      rental.stop();
      telegram.stop();
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
    },
  };
}
