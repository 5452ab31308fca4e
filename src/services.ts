import { randomBytes } from 'node:crypto';
import { Api } from 'grammy';
import { createAccounts } from './accounts/accounts.ts';
import { createBot } from './bot/bot.ts';
import type { FeatureDeps } from './bot/features/feature.ts';
import { FEATURES } from './bot/features/features.ts';
import { createFloodAnswers } from './bot/flood-answers.ts';
import { createQuotes } from './bot/quotes.ts';
import { createReceiving } from './bot/receive.ts';
import { type Config, secretsOf } from './config.ts';
import { createIncoming, EVENTS_PATH } from './incoming.ts';
import { createInvoiceJobs } from './invoices/invoice-jobs.ts';
import { createInvoices } from './invoices/invoices.ts';
import { createInvoiceLinks } from './invoices/links.ts';
import { createBullJobs } from './jobs/bull.ts';
import { createMemoryJobs } from './jobs/memory.ts';
import { createLog } from './log.ts';
import { createNotices } from './notices/notices.ts';
import { operationCard } from './operations/card.ts';
import { createDataWatch } from './operations/data-watch.ts';
import { createKinds, KINDS } from './operations/kinds/kinds.ts';
import { createOperationJobs } from './operations/operation-jobs.ts';
import { createOperations } from './operations/operations.ts';
import { createPaymentsGate } from './operations/payments-gate.ts';
import { createRental } from './rental/client.ts';
import { createOperatorInvoices } from './rental/operator-invoices.ts';
import { deriveKeys } from './storage/derived-keys.ts';
import { createMemoryStorage } from './storage/memory.ts';
import { createRedisStorage } from './storage/redis.ts';
import { createSeal } from './storage/seal.ts';
import { createSignedRecords } from './storage/signed-records.ts';
import { createTurns } from './storage/turns.ts';
import type { Surroundings } from './surroundings.ts';
import { createTelegramFetch } from './telegram/fetch.ts';
import { createSender } from './telegram/sender.ts';
import { createTexts } from './texts/texts.ts';

/** Above Telegram's long polls of 30 s. */
const API_TIMEOUT_S = 50;

/** Puts the house together, from the ground up (docs/architecture.md has its rooms). The only place that knows them all. */
export function createServices(config: Config, surroundings: Surroundings = {}) {
  const { publicUrl, redisUrl, supportUrl, accountUrl } = config;
  const { now = Date.now, pace = {} } = surroundings;
  const log = surroundings.log ?? createLog({ level: config.logLevel, secrets: secretsOf(config) });

  // What others are needed for: the rental service, storage, jobs, Telegram. And the words.
  const rental = createRental({ baseUrl: config.rentalApiUrl, log, now });
  const storage = redisUrl ? createRedisStorage({ url: redisUrl, log }) : createMemoryStorage({ now });
  const turns = createTurns({ storage });
  const jobs = redisUrl
    ? createBullJobs({ url: redisUrl, log, timings: pace.jobs })
    : createMemoryJobs({ log });
  const secrets = config.secretKeys.length > 0 ? config.secretKeys : [randomBytes(32)];
  const seal = createSeal(deriveKeys(secrets, 'seal'));
  const records = createSignedRecords({ storage, keys: deriveKeys(secrets, 'records'), log });
  const { telegramApiRoot: apiRoot } = config;
  const telegram = createTelegramFetch({ log, apiRoot });
  const client = { apiRoot, timeoutSeconds: API_TIMEOUT_S };
  const texts = createTexts({ directories: surroundings.locales });

  // Who is linked to what.
  const { rentalApiKey: operatorKey, adminIds } = config;
  const isAdmin = (user: number) => adminIds.has(user);
  const accounts = createAccounts({ storage, records, seal, turns, rental, operatorKey, now });
  const { links, hooks, addressBook, people } = accounts;

  // The money. What it tells goes through Telegram, which comes further down.
  const dataWatch = createDataWatch({ storage, tell: () => notices.tellAdmins.dataLost(), log });
  const paymentsGate = createPaymentsGate({
    storage,
    volatile: redisUrl === undefined,
    lost: dataWatch.lost,
    now,
  });
  const kinds = createKinds(surroundings.kinds ?? KINDS);
  const operatorInvoices = operatorKey ? createOperatorInvoices({ rental, operatorKey }) : undefined;
  const invoiceJobs = createInvoiceJobs({ jobs });
  const invoices = createInvoices({
    ...{ storage, records, seal, turns, rental, operatorInvoices, now },
    ...{ apiKey: links.apiKey, sold: links.sold },
    isAdmin,
    isNotMade: async (ref) => (await operations.drafts.find(ref))?.state === 'refused',
    tellAdmins: () => notices.tellAdmins.guestsFull(),
    showCard: (invoice, card) => notices.showInvoice(invoice, card),
    hand: invoiceJobs.hand,
  });
  invoiceJobs.define(invoices, pace.reconcileMs);
  const invoiceLinks = createInvoiceLinks({
    tokenOf: invoices.shares.tokenOf,
    botName: () => bot.botInfo.username,
    publicUrl,
  });
  const operationJobs = createOperationJobs({ jobs });
  const operations = createOperations({
    storage,
    records,
    rental,
    kinds,
    apiKey: links.apiKey,
    reported: hooks.isActive,
    ...{ ...accounts, seal },
    withdrawCap: config.withdrawCapTrx,
    operatorInvoices,
    admit: invoices.admit,
    announce: (operation) =>
      kinds.of(operation.request).followUp ? invoices.open(operation) : notices.tellOfWithdrawal(operation),
    show: (operation, may) => notices.showOperation(operation, may),
    hand: operationJobs.hand,
    carryOut: operationJobs.carryOut,
    heartbeat: pace.heartbeat,
    now,
    log,
  });
  operationJobs.define(operations, pace.reconcileMs);

  // What the service and the money have to say, told in chats.
  const notices = createNotices({
    ...accounts,
    ...{ storage, records, turns, jobs, rental, operatorKey, operations },
    ...{ invoices, invoiceLinks, texts, supportUrl, now, log },
    sender: createSender({ api: new Api(config.botToken, { ...client, fetch: telegram.fetchOnce }), now }),
    admins: adminIds,
    isReachable: publicUrl !== undefined,
    lookMs: pace.reconcileMs,
  });

  // The chat: everything that people can do, and the way of an update to it.
  const card: FeatureDeps['card'] = async (words, operation) => {
    const reported = operation.state === 'done' && (await hooks.isActive(operation.account));
    return operationCard(words, operation, { kind: kinds.of(operation.request), reported, supportUrl });
  };
  const openMenu: FeatureDeps['openMenu'] = async (ctx) => menu?.open?.(ctx);
  const featureDeps: FeatureDeps = {
    ...accounts,
    ...notices,
    rental,
    quotes: createQuotes({ rental, lastPrices: operations.lastPrices }),
    operations,
    card,
    ...{ invoices, invoiceLinks, now },
    // Marked: what is in src/broadcast takes its place.
    broadcasts: undefined as never,
    isAdmin,
    paymentsGate,
    carryOut: operations.sends.begin,
    ...{ texts, supportUrl, accountUrl },
    operatorKey,
    hookUrl: publicUrl ? (hook) => `${publicUrl}${EVENTS_PATH}/${hook}` : undefined,
    openMenu,
    features: () => features,
  };
  const features = (surroundings.features ?? FEATURES).map((create) => create(featureDeps));
  const menu = features.find(({ name }) => name === 'menu');
  const bot = createBot({
    token: config.botToken,
    client: { ...client, fetch: telegram.fetch },
    chats: storage.chats,
    texts,
    features,
    operations,
    card,
    links,
    addressBook,
    people,
    openMenu,
    ...{ isAdmin, supportUrl },
    dropFlood: (update) => floods.drop(update),
    returned: notices.outbox.returned,
    updatePace: pace.updates,
    ...{ now, log },
  });
  const floods = createFloodAnswers({ api: bot.api, texts, log, now });
  const receiving = createReceiving({ bot, texts, log, now });

  // How updates and events come in.
  const incoming = createIncoming({
    ...{ config, surroundings, secrets, storage, jobs, seal, bot, log },
    updates: { receive: receiving.receive, drop: floods.drop },
    events: notices.events,
    invoicePage: { texts, find: invoices.shares.find, opened: invoices.opened, expect: invoices.expect },
  });

  return {
    ...{ log, rental, storage, jobs, telegram, texts },
    ...{ dataWatch, notices, sends: operations.sends },
    ...{ paymentsGate, features, bot, receiving, incoming },
  };
}
