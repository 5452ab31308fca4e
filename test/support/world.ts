import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import type { AppOptions } from '../../src/composition.ts';
import type { Config } from '../../src/config.ts';
import { isDueQueue } from '../../src/platform/due-queue.ts';
import { kindOf } from '../../src/platform/records.ts';
import { RECURRING_WORK } from '../../src/platform/recurring-work.ts';
import { createClock } from '../../src/sandbox/clock.ts';
import type { Seed } from '../../src/sandbox/rental/state.ts';
import { createSandbox } from '../../src/sandbox/server.ts';
import { allStoredData } from '../../src/stored-data.ts';
import { requestApp } from './app-request.ts';
import { eventually } from './eventually.ts';
import { recordingLog } from './log-lines.ts';
import { createPerson, type Person } from './person.ts';
import { type ChatCall, expectReceipts } from './receipts.ts';
import { createSandboxRequests } from './sandbox-requests.ts';
import { expectNoSecrets } from './secrets.ts';
import { EXPLORER_URL } from './texts.ts';

/** State of the sandbox's rental service, as its control API returns it. Lists are ordered newest first. */
export interface RentalState {
  accounts: {
    id: number;
    key: string;
    balance_trx: string;
    deposit_address: string;
    webhook: { url: string; active: boolean } | null;
  }[];
  orders: {
    order_id: number;
    account_id: number;
    address: string;
    energy_amount: number;
    duration_hours: number;
    price_trx: string;
    status: string;
  }[];
  subscriptions: { id: number; address: string; label: string | null; status: string }[];
  /** Energy prices in sun a unit, as in `GET /prices`. */
  prices: { energy_sun: { '1h': string; '24h': string } };
  ledger: { kind: string; amount_trx: string; order_id?: number }[];
  invoices: { invoice_id: number; status: string }[];
  webhook_log: { event_type: string; response_status: number; attempts: number }[];
  /** Inconsistencies in the service's bookkeeping. */
  audit: { ok: boolean; faults: string[] };
}

/** Patterns of the keys of all due queues except recurring work, including those of these features. */
function dueQueueKeys(features: NonNullable<AppOptions['features']>): Set<string> {
  const stored = [...allStoredData(), ...features.flatMap(({ stores }) => stores?.data ?? [])];
  const queues = stored.filter((data) => isDueQueue(data) && data !== RECURRING_WORK);
  return new Set(queues.map(({ keys }) => (keys.includes(':') ? `${kindOf(keys)}:*` : keys)));
}

/** Moves everything that is scheduled by the clock of this Redis `seconds` earlier, and last the work that handles it. */
async function advanceRedis(
  url: string,
  { seconds, features, isRunning }: { seconds: number; features: AppOptions['features']; isRunning: boolean },
): Promise<void> {
  const redis = new Redis(url);
  const moveEarlier = async (index: string) => {
    // `XX`: a member that was removed in the meantime must not be added again.
    for (const member of await redis.zrange(index, '0', '-1'))
      await redis.zadd(index, 'XX', 'INCR', -1_000 * seconds, member);
  };
  for (const pattern of dueQueueKeys(features ?? []))
    for (const index of await redis.keys(pattern)) await moveEarlier(index);
  const work = RECURRING_WORK.keys;
  await moveEarlier(work);
  const dueWork = async () => {
    const [timeSeconds] = await redis.time();
    return redis.zrangebyscore(work, '-inf', 1_000 * Number(timeSeconds));
  };
  const due = await dueWork();
  if (isRunning) {
    // Work that had just run is scheduled again at the next tick, which may postpone it by its whole interval.
    await eventually(async () => expect(await dueWork()).toEqual([]));
    for (const name of due) await redis.zadd(work, 'XX', 0, name);
  }
  await redis.quit();
}

export const TOKEN = '700:the-token-of-the-tests-and-of-nothing-else';
export const GUEST = 501;
export const HOLDER = 502;
export const MERCHANT = 503;
export const ADMIN = 504;
export const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

export interface WorldOptions {
  /** Stores state in this Redis instead of in memory. */
  redisUrl?: string;
  /** Uses webhooks for updates and events. If false, the bot polls. Default: true. */
  push?: boolean;
  /** Number of apps that share the work. 0 if the bot runs in a separate process. */
  replicas?: number;
  config?: Partial<Config>;
  /** Extensions of the app, and its intervals. */
  appOptions?: AppOptions;
  /** Initial state of the rental service. */
  seed?: Seed;
  /** Start time of the world, in epoch milliseconds. Default: now. */
  startAt?: number;
}

/** Event that the rental service sent to the bot's URL. */
export interface ReceivedEvent {
  url: string;
  signature: string;
  body: string;
}

/** Returns the configuration of a bot whose sandbox is at this origin. */
export function configAt(origin: string): Config {
  return {
    botToken: TOKEN,
    rentalApiUrl: `${origin}/api`,
    secretKeys: [],
    adminIds: new Set([ADMIN]),
    port: 0,
    host: '127.0.0.1',
    metricsHost: '127.0.0.1',
    telegramApiRoot: `${origin}/telegram`,
    supportUrl: 'https://support.example/',
    explorerUrl: EXPLORER_URL,
    signatureHeader: 'X-Webhook-Signature',
    withdrawCapTrx: '1000',
    logLevel: 'debug',
  };
}

/** Starts the sandbox and the app on a free port, like the demo. `stop` also checks receipts and searches for secrets. */
export async function createWorld(options: WorldOptions = {}) {
  const { redisUrl, push = true, replicas = 1 } = options;
  const clock = createClock(options.startAt);
  const sandbox = createSandbox({ token: TOKEN, clock, limits: false, seed: options.seed });
  // `slowMs`: longer than usual, so that confirmed updates have been processed. `settled` relies on it.
  // `reconcileMs`: a run without due work costs nothing in memory.
  const pace = {
    slowMs: 20_000,
    confirmableAfterMs: 0,
    ...(redisUrl === undefined && { reconcileMs: 300 }),
    ...options.appOptions?.pace,
  };
  const requests = createSandboxRequests(sandbox);
  const { ask: control } = requests;
  const asked: string[] = [];
  const events: ReceivedEvent[] = [];
  let eventsLost = false;
  const server = createAdaptorServer({
    fetch(request, env) {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith('/api/v1/')) asked.push(`${request.method} ${pathname.slice(7)}`);
      return sandbox.fetch(request, env);
    },
  });
  // A request of another process must not meet a connection that is just being closed.
  if ('keepAliveTimeout' in server) server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { log, texts: logLines } = recordingLog({ secrets: [TOKEN] });
  const secretKey = randomBytes(32);
  const people = new Map<number, Person>();
  let apps: App[] = [];
  let turn = 0;
  let stoodAt: number | undefined;
  let clockErrorMs = 0;
  const now = () => stoodAt ?? sandbox.clock.now() + clockErrorMs;

  const config: Config = {
    ...configAt(origin),
    redisUrl,
    secretKeys: [secretKey],
    publicUrl: push ? origin : undefined,
    ...options.config,
  };

  async function startApps(): Promise<void> {
    apps = Array.from({ length: replicas }, () =>
      createApp(config, { ...options.appOptions, pace, now, log }),
    );
    await Promise.all(apps.map((app) => app.start()));
  }

  async function stopApps(): Promise<void> {
    await Promise.all(apps.map((app) => app.stop()));
    apps = [];
  }

  sandbox.setFallback(async (request) => {
    if (new URL(request.url).pathname.startsWith('/events/')) {
      const signature = request.headers.get(config.signatureHeader) ?? '';
      events.push({ url: request.url, signature, body: await request.clone().text() });
      if (eventsLost) return new Response(null, { status: 502 });
    }
    const app = apps[turn++ % Math.max(1, apps.length)];
    if (app === undefined) return new Response(null, { status: 502 });
    // Removes the path of `publicUrl`, like a reverse proxy.
    const { pathname: prefix } = new URL(config.publicUrl ?? origin);
    const below = prefix === '/' ? request : new Request(request.url.replace(prefix, ''), request);
    return requestApp(app, below);
  });
  await startApps();

  interface Call {
    method: string;
    params: { text?: string; secret_token?: string };
  }
  const calls = (method = '') => control<Call[]>('GET', `/telegram/calls${method && `?method=${method}`}`);

  const world = {
    origin,
    sandbox,
    config,
    log: logLines,
    requests,
    control,
    person(chat: number): Person {
      const person = people.get(chat) ?? createPerson({ requests, chat });
      people.set(chat, person);
      return person;
    },
    /** Returns the state of the rental service. */
    rental: () => control<RentalState>('GET', '/rental/state'),
    /** Makes the next `times` requests to an endpoint of the rental service fail. */
    fault: (endpoint: string, kind: string, more: object = {}) =>
      control('POST', '/rental/faults', { endpoint, kind, ...more }),
    /** Makes the next calls of the bot to a Bot API method fail. */
    telegramFault: (method: string, kind: string, more: object = {}) =>
      control('POST', '/telegram/faults', { method, kind, ...more }),
    /** Requests the metrics of the first app. */
    metrics: async () => apps[0]?.fetchMetrics?.(new Request('http://127.0.0.1/metrics')),
    /** Returns the number of requests to an endpoint of the rental service, including failed ones. */
    countRequests: (endpoint: string) => asked.filter((one) => one === endpoint).length,
    /** All requests to the rental service, oldest first, for example `GET /account`. */
    requestLog: asked as readonly string[],
    /** Deliveries that the rental service sent to the bot, oldest first. */
    events,
    /** Loses all later events before they reach the app, or stops losing them. */
    loseEvents(lost = true): void {
      eventsLost = lost;
    },
    /** Returns the number of Bot API calls whose text contains this. */
    countCallsWithText: async (part: string) =>
      (await calls()).filter(({ params }) => params.text?.includes(part)).length,
    /** Waits until the bot has processed all updates. */
    settled: () =>
      eventually(async () => {
        if ((await control<number>('GET', '/telegram/pending')) > 0) throw new Error('updates are pending');
      }),
    /** Posts an update to the webhook as Telegram would, without waiting for earlier updates. Returns the HTTP status. */
    async deliver(update: object): Promise<number> {
      const token = (await calls('setWebhook')).at(-1)?.params.secret_token ?? '';
      const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': token };
      const body = JSON.stringify(update);
      return (await fetch(`${origin}/updates/telegram`, { method: 'POST', headers, body })).status;
    },
    /**
     * Advances the clock. On Redis, which has its own clock, moves all due queues earlier too, and lets recurring work
     * that comes due run within about a second.
     */
    async advance(seconds: number): Promise<void> {
      // The clock first: work that is due by the clock of Redis may also compare the time of the app.
      await control('POST', '/clock', { advance_seconds: seconds });
      if (redisUrl === undefined) return;
      const { features } = options.appOptions ?? {};
      await advanceRedis(redisUrl, { seconds, features, isRunning: apps.length > 0 });
    },
    /** Stops the clock of the apps during `work`, so that limits per second apply alike on any machine. */
    async withStoppedClock<T>(work: () => Promise<T>): Promise<T> {
      stoodAt = sandbox.clock.now();
      return work().finally(() => {
        stoodAt = undefined;
      });
    },
    /** Makes the clock of the apps and of their storage in memory wrong by `ms`, but not that of the sandbox. */
    setClockError(ms: number): void {
      clockErrorMs = ms;
    },
    /** Stops the apps and starts new ones on the same storage, with the changed settings. */
    async restart(changed: Partial<Config> = {}): Promise<void> {
      await stopApps();
      Object.assign(config, changed);
      await startApps();
    },
    startApps,
    stopApps,
    /** Stops everything without checks, for a journey that has failed. */
    async abandon(): Promise<void> {
      await stopApps();
      sandbox.stop();
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
    },
    async stop(): Promise<void> {
      const calls = await control<ChatCall[]>('GET', '/telegram/calls');
      const shown = await Promise.all([...people.values()].map((person) => person.messages()));
      const documents = await Promise.all(
        [...people.values()].flatMap((person, at) =>
          (shown[at] ?? []).filter(({ document }) => document).map(person.download),
        ),
      );
      await world.abandon();
      expectReceipts(new Map([...people.keys()].map((chat, at) => [chat, shown[at] ?? []])), calls);
      await expectNoSecrets({ logLines, calls, shown, documents, redisUrl, secretKey });
    },
  };
  return world;
}

/** Creates a world for one journey, and stops it even if the journey fails. */
export async function inWorld(
  options: WorldOptions,
  journey: (world: World) => Promise<void>,
): Promise<void> {
  const world = await createWorld(options);
  try {
    await journey(world);
  } catch (failure) {
    await world.abandon();
    throw failure;
  }
  await world.stop();
}

export type World = Awaited<ReturnType<typeof createWorld>>;
