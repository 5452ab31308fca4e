import { createHmac, randomBytes } from 'node:crypto';
import { createAddressBook } from './accounts/address-book.ts';
import { createEventHooks } from './accounts/event-hooks.ts';
import { createLinks } from './accounts/links.ts';
import { createReportOffers } from './accounts/report-offers.ts';
import { createBot } from './bot/bot.ts';
import type { CreateFeature, FeatureDeps } from './bot/features/feature.ts';
import { FEATURES } from './bot/features/features.ts';
import { createQuotes } from './bot/quotes.ts';
import { createReceiving } from './bot/receive.ts';
import type { Config } from './config.ts';
import { type BullJobsOptions, createBullJobs } from './jobs/bull.ts';
import { createMemoryJobs } from './jobs/memory.ts';
import { createLog, type Log } from './log.ts';
import { createEventHandlers } from './notices/events/events.ts';
import { createOperationNews } from './notices/operation-news.ts';
import { createReceiveEvent } from './notices/receive-event.ts';
import { operationCard } from './operations/card.ts';
import type { HeartbeatPace } from './operations/heartbeat.ts';
import type { OperationKind } from './operations/kinds/kind.ts';
import { createKinds, KINDS } from './operations/kinds/kinds.ts';
import type { OperationRef } from './operations/operation.ts';
import { createOperations, RECONCILE_MS } from './operations/operations.ts';
import { createPaymentsGate } from './operations/payments-gate.ts';
import { createRental } from './rental/client.ts';
import { createMemoryStorage } from './storage/memory.ts';
import { createRedisStorage } from './storage/redis.ts';
import { createSeal } from './storage/seal.ts';
import { createTurns } from './storage/turns.ts';
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

/** What surrounds the app, and what it can be extended with from outside. */
export interface Surroundings {
  now?: () => number;
  log?: Log;
  kinds?: readonly OperationKind[];
  features?: readonly CreateFeature[];
  /** Folders of texts, laid out like `locales/`. */
  locales?: string[];
  /** How soon a lost process is noticed, in milliseconds: nobody but a test is in a hurry. */
  pace?: { heartbeat?: HeartbeatPace; reconcileMs?: number; jobs?: BullJobsOptions['timings'] };
}

/** Puts the house together, from the ground up (docs/architecture.md has its rooms). The only place that knows them all. */
export function createServices(config: Config, surroundings: Surroundings = {}) {
  const { publicUrl, redisUrl, supportUrl, accountUrl } = config;
  const { now = Date.now, pace = {} } = surroundings;
  const log = surroundings.log ?? createLog({ level: config.logLevel, secrets: secretsOf(config) });

  // What others are needed for: the rental service, storage, jobs, Telegram. And the words.
  const rental = createRental({ baseUrl: config.rentalApiUrl, log, now });
  const storage = redisUrl ? createRedisStorage({ url: redisUrl, log }) : createMemoryStorage();
  const turns = createTurns({ storage });
  const jobs = redisUrl
    ? createBullJobs({ url: redisUrl, log, timings: pace.jobs })
    : createMemoryJobs({ log });
  const seal = createSeal(config.secretKeys.length > 0 ? config.secretKeys : [randomBytes(32)]);
  const telegram = createTelegramFetch({ log, apiRoot: config.telegramApiRoot });
  const texts = createTexts({ directories: surroundings.locales });

  // Who is linked to what.
  const links = createLinks({ storage, seal, now });
  const hooks = createEventHooks({ storage, seal });
  const addressBook = createAddressBook({ storage });

  // The money. What it tells goes through Telegram, which comes further down.
  const paymentsGate = createPaymentsGate({ storage, volatile: redisUrl === undefined, now });
  const kinds = createKinds(surroundings.kinds ?? KINDS);
  const carryOut = (ref: OperationRef) => jobs.add(OPERATION_JOB, JSON.stringify(ref));
  const operations = createOperations({
    storage,
    rental,
    kinds,
    apiKey: links.apiKey,
    reported: hooks.isActive,
    show: (operation, may) => showOperation(operation, may),
    hand: carryOut,
    heartbeat: pace.heartbeat,
    now,
    log,
  });
  jobs.define(OPERATION_JOB, (ref) => operations.reconciler.advance(JSON.parse(ref)));
  jobs.every('operations-reconcile', pace.reconcileMs ?? RECONCILE_MS, operations.reconciler.run);

  // The chat: everything that people can do, and the way of an update to it.
  const card: FeatureDeps['card'] = async (words, operation) => {
    const reported = await hooks.isActive(operation.account);
    return operationCard(words, operation, { kind: kinds.of(operation.request), reported, supportUrl });
  };
  const openMenu: FeatureDeps['openMenu'] = async (ctx) => menu?.open?.(ctx);
  const featureDeps: FeatureDeps = {
    links,
    hooks,
    addressBook,
    rental,
    quotes: createQuotes({ rental, lastPrices: operations.lastPrices }),
    operations,
    card,
    paymentsGate,
    carryOut,
    texts,
    supportUrl,
    accountUrl,
    operatorKey: config.rentalApiKey,
    hookUrl: publicUrl ? (hook) => `${publicUrl}${EVENTS_PATH}/${hook}` : undefined,
    openMenu,
    features: () => features,
  };
  const features = (surroundings.features ?? FEATURES).map((create) => create(featureDeps));
  const menu = features.find(({ name }) => name === 'menu');
  const bot = createBot({
    token: config.botToken,
    client: {
      apiRoot: config.telegramApiRoot,
      timeoutSeconds: API_TIMEOUT_S,
      fetch: telegram.fetch,
    },
    chats: storage.chats,
    texts,
    features,
    operations,
    card,
    openMenu,
    log,
  });
  const receiving = createReceiving({ bot, texts, log });

  // What the service and the money have to say, told in chats.
  const sender = createSender({ api: bot.api });
  const showOperation = createOperationNews({
    sender,
    texts,
    kinds,
    reported: hooks.isActive,
    offers: publicUrl === undefined ? undefined : createReportOffers({ storage }),
    supportUrl,
  });
  const receiveEvent = createReceiveEvent({
    hooks,
    handlers: createEventHandlers({ operations, turns, links, sender, texts }),
    turns,
    log,
  });

  // How updates and events come in: pushed to a public address, or fetched.
  const secretToken = createHmac('sha256', config.botToken).update(UPDATES_PATH).digest('hex');
  const polling = publicUrl ? undefined : createPolling({ api: bot.api, receive: receiving.receive, log });
  /** What keeps the app from its work; `undefined` while nothing does. Telegram was reached once `reached` says so. */
  const createWebServer = (reached: () => boolean) =>
    createWeb({
      log,
      ...(publicUrl && {
        updates: { path: UPDATES_PATH, secretToken, receive: receiving.receive },
        events: {
          path: `${EVENTS_PATH}/:hook` as const,
          signatureHeader: config.signatureHeader,
          receive: receiveEvent,
        },
      }),
      ready: async () => {
        await storage.ping();
        return reached() || 'Telegram was not reached yet';
      },
    });
  const webhook = publicUrl ? { url: `${publicUrl}${UPDATES_PATH}`, secretToken } : undefined;

  return {
    ...{ log, rental, storage, jobs, telegram, texts },
    ...{ paymentsGate, features, bot, receiving, polling, webhook, createWebServer },
  };
}

function secretsOf({ botToken, rentalApiKey, redisUrl }: Config): string[] {
  const password = redisUrl && new URL(redisUrl).password;
  return [botToken, rentalApiKey, password].filter((secret): secret is string => Boolean(secret));
}
