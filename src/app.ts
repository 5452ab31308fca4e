import { createHmac, randomBytes } from 'node:crypto';
import { createAddressBook } from './accounts/address-book.ts';
import { createEventHooks } from './accounts/event-hooks.ts';
import { createLinks } from './accounts/links.ts';
import { createBot } from './bot/bot.ts';
import { accountButtons } from './bot/buttons/account.ts';
import { cardButtons } from './bot/buttons/card.ts';
import { eventButtons } from './bot/buttons/events.ts';
import { homeButtons } from './bot/buttons/home.ts';
import { createBuyEnergy } from './bot/flows/buy-energy.ts';
import { createLinking } from './bot/linking.ts';
import { createQuotes } from './bot/quote.ts';
import { createReceiving } from './bot/receive.ts';
import { botSetup, startBot } from './bot/start.ts';
import type { Config } from './config.ts';
import { createBullJobs } from './jobs/bull.ts';
import { createMemoryJobs } from './jobs/memory.ts';
import { createLog, type Log } from './log.ts';
import { createEvents } from './notices/events.ts';
import { createOperationNews } from './notices/operation-news.ts';
import type { OperationRef } from './operations/operation.ts';
import { createOperations, RECONCILE_MS } from './operations/operations.ts';
import { createPaymentsGate } from './operations/payments-gate.ts';
import { createRental } from './rental/client.ts';
import { createMemoryStorage } from './storage/memory.ts';
import { createRedisStorage } from './storage/redis.ts';
import { createSeal } from './storage/seal.ts';
import { createTelegramFetch } from './telegram/fetch.ts';
import { createPolling } from './telegram/polling.ts';
import { createSender } from './telegram/sender.ts';
import { createTexts } from './texts/texts.ts';
import { createWeb } from './web/server.ts';

const UPDATES_PATH = '/updates/telegram';
const EVENTS_PATH = '/events';
/** Above Telegram's long polls of 30 s. */
const API_TIMEOUT_S = 50;
const OPERATION_JOB = 'operation';

/** The running whole: `fetch` answers HTTP, `start` begins to take updates and to do what was left undone. */
export interface App {
  readonly log: Log;
  fetch(request: Request): Promise<Response>;
  /** Resolves once Telegram knows where updates go; rejects where it refuses the bot. */
  start(): Promise<void>;
  /** Finishes what is under way. */
  stop(): Promise<void>;
}

/** Puts the house together, from the ground up (see the README for its rooms). The only place that knows them all. */
export function createApp(config: Config, around: { now?: () => number; log?: Log } = {}): App {
  const { publicUrl, redisUrl, supportUrl } = config;
  const { now = Date.now } = around;
  const log = around.log ?? createLog({ level: config.logLevel, secrets: secretsOf(config) });

  // What others are needed for: the rental service, storage, jobs, Telegram.
  const rental = createRental({ baseUrl: config.rentalApiUrl, log, now });
  const storage = redisUrl ? createRedisStorage({ url: redisUrl, log }) : createMemoryStorage();
  const jobs = redisUrl ? createBullJobs({ url: redisUrl, log }) : createMemoryJobs({ log });
  const seal = createSeal(config.secretKeys.length > 0 ? config.secretKeys : [randomBytes(32)]);
  const telegram = createTelegramFetch({ log, apiRoot: config.telegramApiRoot });
  const texts = createTexts();

  // Who is linked to what, and the money.
  const links = createLinks({ storage, seal, now });
  const hooks = createEventHooks({ storage, seal });
  const addressBook = createAddressBook({ storage });
  const paymentsGate = createPaymentsGate({ storage, volatile: redisUrl === undefined, now });
  const carryOut = (ref: OperationRef) => jobs.add(OPERATION_JOB, JSON.stringify(ref));
  const operations = createOperations({
    storage,
    rental,
    apiKey: links.apiKey,
    reported: hooks.isActive,
    show: (operation) => news(operation),
    hand: carryOut,
    now,
    log,
  });
  jobs.define(OPERATION_JOB, (ref) => operations.reconciler.advance(JSON.parse(ref)));
  jobs.every('operations-watch', RECONCILE_MS, operations.reconciler.run);

  // The chat.
  const { drafts, settlement, lastPrices } = operations;
  const quotes = createQuotes({ rental, lastPrices });
  const eventsOffered = publicUrl !== undefined;
  const account = accountButtons({ links, hooks, rental, eventsOffered });
  const bot = createBot({
    token: config.botToken,
    client: {
      apiRoot: config.telegramApiRoot,
      timeoutSeconds: API_TIMEOUT_S,
      fetch: telegram.fetch,
    },
    chats: storage.chats,
    texts,
    buttons: {
      home: homeButtons({ links, paymentsGate, texts, supportUrl }),
      account,
      events: eventButtons({
        hooks,
        rental,
        hookUrl: publicUrl ? (hook) => `${publicUrl}${EVENTS_PATH}/${hook}` : undefined,
        withAccount: account.withAccount,
      }),
      card: cardButtons({ drafts, settlement, paymentsGate, carryOut }),
      linking: createLinking({ links, rental, eventsOffered }),
    },
    drafts,
    flows: { buyEnergy: createBuyEnergy({ links, addressBook, quotes, drafts }) },
    log,
  });
  const { receive, idle } = createReceiving({ bot, texts, log });
  const news = createOperationNews({
    sender: createSender({ api: bot.api }),
    texts,
    reported: hooks.isActive,
    supportUrl,
  });

  // How updates and events come in: pushed to a public address, or fetched.
  const secretToken = createHmac('sha256', config.botToken).update(UPDATES_PATH).digest('hex');
  const polling = publicUrl ? undefined : createPolling({ api: bot.api, receive, log });
  const starting = new AbortController();
  let started = false;
  const web = createWeb({
    log,
    ...(publicUrl && {
      updates: { path: UPDATES_PATH, secretToken, receive },
      events: {
        path: `${EVENTS_PATH}/:hook` as const,
        signatureHeader: config.signatureHeader,
        receive: createEvents({ hooks, settlement, storage, log }),
      },
    }),
    ready: async () => {
      await storage.ping();
      return started || 'Telegram was not reached yet';
    },
  });

  return {
    log,
    fetch: web.fetch,
    async start() {
      if (!redisUrl)
        log.warn('REDIS_URL is not set: everything is in memory and gone when this process ends');
      await jobs.start();
      const why = await paymentsGate.closed().catch(() => 'the storage does not answer');
      if (why) log.error({ reason: why }, 'no money is taken');
      const webhook = publicUrl && { url: `${publicUrl}${UPDATES_PATH}`, secretToken };
      await startBot(bot, {
        ...botSetup(texts),
        webhook: webhook || undefined,
        log,
        signal: starting.signal,
      });
      polling?.start();
      started = true;
      log.info({ mode: publicUrl ? 'webhook' : 'polling' }, 'the bot takes updates');
    },
    async stop() {
      starting.abort();
      await polling?.stop();
      await idle();
      await jobs.stop();
      await Promise.allSettled([rental.close(), telegram.close()]);
      await storage.close();
    },
  };
}

function secretsOf({ botToken, rentalApiKey, redisUrl }: Config): string[] {
  const password = redisUrl && new URL(redisUrl).password;
  return [botToken, rentalApiKey, password].filter((secret): secret is string => Boolean(secret));
}
