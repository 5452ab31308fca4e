import { createNotices } from './account-events/account-events.ts';
import { createAccounts } from './accounts/accounts.ts';
import { LINKS } from './accounts/links.ts';
import type { AppOptions } from './app-options.ts';
import { createBot } from './bot/bot.ts';
import { createButtonTokens } from './bot/button-tokens.ts';
import type { FeatureDeps } from './bot/feature-deps.ts';
import { createFloodAnswers } from './bot/middleware/flood-guard.ts';
import { createQuotes } from './bot/quotes.ts';
import { createReceiving } from './bot/receive.ts';
import { createBroadcasts } from './broadcasts/broadcasts.ts';
import type { Config } from './config.ts';
import { createUserErasure } from './erase-user.ts';
import { FEATURES } from './features/features.ts';
import { createFormatCheck } from './format-check.ts';
import { optOutRow } from './i18n/opt-out.ts';
import { createInfrastructure } from './infrastructure.ts';
import { createIngress, EVENTS_PATH } from './ingress.ts';
import { createInvoiceJobs, createInvoices } from './invoices/invoices.ts';
import { createInvoiceLinks } from './invoices/share-links.ts';
import { operationCard } from './operations/card.ts';
import { createPaymentsGate } from './operations/confirm.ts';
import { createContinuityWatch } from './operations/continuity.ts';
import { createKinds, KINDS } from './operations/kinds/kinds.ts';
import { createMaintenance } from './operations/maintenance.ts';
import { createOperationJobs, createOperations } from './operations/operations.ts';
import { OPERATIONS } from './operations/store.ts';
import { deriveKeys } from './platform/encryption.ts';
import { tagOf } from './platform/storage.ts';
import { createOperatorInvoices } from './rental-api/operator-invoices.ts';
import { readVersion } from './version.ts';

/** Interval at which records that can't be read are reported. */
const UNREADABLE_REPORT_MS = 60_000;

/**
 * Composition root: creates all modules, lowest layer first (docs/architecture.md). The only function that knows all
 * modules.
 */
export function composeServices(config: Config, appOptions: AppOptions = {}) {
  const { publicUrl, redisUrl, supportUrl, accountUrl } = config;
  const { pace = {} } = appOptions;

  const infrastructure = createInfrastructure(config, appOptions);
  const { log, rental, storage, leases, jobs, secrets, seal, records, telegram, texts, calls } =
    infrastructure;
  // Replicas compare times, so all of them use the storage's clock.
  const now = appOptions.now ?? storage.now;

  // Users and their linked accounts.
  const { rentalApiKey: operatorKey, adminIds } = config;
  const isAdmin = (user: number) => adminIds.has(user);
  const accounts = createAccounts({ storage, records, seal, leases, rental, operatorKey, isAdmin, now });
  const { links, hooks, addressBook, people } = accounts;

  // Operations and invoices. Their notifications go through Telegram, which is set up below.
  const continuity = createContinuityWatch({
    storage,
    report: (loss) => notices.tellAdmins.continuityLost(loss),
    log,
  });
  const maintenance = createMaintenance({ records, now });
  const paymentsGate = createPaymentsGate({
    ...{ storage, maintenance, now },
    volatile: redisUrl === undefined,
    continuity,
  });
  const kinds = createKinds(appOptions.kinds ?? KINDS);
  const operatorInvoices = operatorKey ? createOperatorInvoices({ rental, operatorKey }) : undefined;
  const invoiceJobs = createInvoiceJobs({ jobs });
  const invoices = createInvoices({
    ...{ storage, records, seal, leases, rental, operatorInvoices, now },
    ...{ apiKey: links.apiKey, sold: links.sold },
    isAdmin,
    dataSince: continuity.since,
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
    ...{ ...accounts, continuity },
    withdrawCap: config.withdrawCapTrx,
    operatorInvoices,
    admit: invoices.admit,
    announce: (operation) =>
      kinds.of(operation.request).followUp ? invoices.open(operation) : notices.tellOfWithdrawal(operation),
    show: (operation, may) => notices.showOperation(operation, may),
    hand: operationJobs.hand,
    heartbeat: pace.heartbeat,
    now,
    log,
  });
  operationJobs.define(operations, pace.reconcileMs);

  // Notifications of events, operations and invoices.
  const notices = createNotices({
    ...accounts,
    ...{ storage, records, leases, jobs, rental, operatorKey, operations },
    ...{ invoices, invoiceLinks, texts, supportUrl, now, log },
    sender: telegram.sender,
    admins: adminIds,
    isReachable: publicUrl !== undefined,
    lookMs: pace.reconcileMs,
  });

  // Broadcasts.
  const broadcasts = createBroadcasts({
    ...{ storage, records, leases, jobs, texts, admins: adminIds, now, log },
    ...{ ...telegram, people: accounts.people, links },
    optOut: (language) => optOutRow(texts.in(language)),
    tell: notices.tellAdmins.broadcast,
    tellReplayed: notices.tellAdmins.broadcastReplayed,
    ...{ runMs: pace.reconcileMs, wait: appOptions.wait },
  });

  // Reports of records that can't be read: written by another version, or changed from outside.
  const { unreadableRecords } = notices;
  records.onUnreadable(unreadableRecords.add);
  const checkFormats = createFormatCheck({
    ...{ storage, records, leases },
    readers: {
      [OPERATIONS]: operations.readRecord,
      [LINKS]: (key) => links.find(Number(tagOf(key))),
    },
    report: unreadableRecords.report,
  });
  jobs.every('unreadable-records', pace.reconcileMs ?? UNREADABLE_REPORT_MS, checkFormats);

  // Erasure of users' data.
  const { sender } = telegram;
  const forgetting = createUserErasure({
    ...{ storage, records, jobs, accounts, operations, invoices, notices },
    ...{ sender, texts, isAdmin, log },
  });

  // The bot: its features, and how updates reach them.
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
    ...{ broadcasts, isAdmin, forgetting },
    ...{ paymentsGate, maintenance },
    tellOfMaintenance: notices.tellAdmins.maintenance,
    state: {
      ...{ storage, startedAt: now(), version: readVersion() },
      ...{ rental: calls.rental.seen, telegram: calls.telegram.seen },
      overdue: { operations: operations.overdueMs, invoices: invoices.overdueMs, jobs: jobs.overdueMs },
    },
    sendQueue: operations.sendQueue,
    ...{ texts, supportUrl, accountUrl },
    operatorKey,
    hookUrl: publicUrl ? (hook) => `${publicUrl}${EVENTS_PATH}/${hook}` : undefined,
    openMenu,
    features: () => features,
  };
  const features = (appOptions.features ?? FEATURES).map((create) => create(featureDeps));
  const buttonTokens = createButtonTokens({
    ...{ keys: deriveKeys(secrets, 'buttons'), storage, now },
    features: () => features,
  });
  telegram.use(buttonTokens.sign);
  const menu = features.find(({ name }) => name === 'menu');
  const bot = createBot({
    token: config.botToken,
    client: telegram.client,
    chats: storage.chats,
    buttonTokens,
    texts,
    features,
    operations,
    card,
    links,
    addressBook,
    people,
    maintenance,
    ...{ openMenu, isAdmin, supportUrl },
    operator: accounts.operator,
    tellAdmins: notices.tellAdmins,
    dropFlood: (update) => floods.drop(update),
    returned: notices.outbox.returned,
    updatePace: pace.updates,
    ...{ now, log },
  });
  const floods = createFloodAnswers({ api: bot.api, texts, log, now });
  const receiving = createReceiving({ bot, texts, log, now });

  // Ingress of updates and events.
  const incoming = createIngress({
    ...{ config, appOptions, secrets, storage, jobs, seal, bot, now, log },
    updates: { receive: receiving.receive, drop: floods.drop },
    events: notices.events,
    invoicePage: {
      ...{ texts, find: invoices.shares.find, check: invoices.checkBeforePayment },
      ...{ opened: invoices.opened, expect: invoices.expect },
    },
  });

  return {
    ...{ log, rental, storage, jobs, telegram, texts },
    ...{
      continuity,
      notices,
      broadcasts,
      sendQueue: operations.sendQueue,
      settledCounts: operations.settledCounts,
    },
    ...{ paymentsGate, features, bot, receiving, incoming },
  };
}
