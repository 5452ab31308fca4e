import { createAccountEvents } from './account-events/account-events.ts';
import { createAccounts } from './accounts/accounts.ts';
import { LINK } from './accounts/links.ts';
import type { AppOptions } from './app-options.ts';
import { createBot } from './bot/bot.ts';
import { createButtonTokens } from './bot/button-tokens.ts';
import type { FeatureDeps } from './bot/feature.ts';
import { createFloodReplies } from './bot/middleware/guards.ts';
import { createQuotes } from './bot/quotes.ts';
import { createUpdateReceiver } from './bot/receive.ts';
import { createBroadcasts } from './broadcasts/broadcasts.ts';
import type { Config } from './config.ts';
import { composeUserErasure } from './erase-user.ts';
import { FEATURES } from './features/features.ts';
import { createFormatCheck } from './format-check.ts';
import { optOutRow } from './i18n/shared-views.ts';
import { createInfrastructure } from './infrastructure.ts';
import { createIngress, EVENTS_PATH } from './ingress.ts';
import { createInvoiceJobs, createInvoices } from './invoices/invoices.ts';
import { createInvoiceLinks } from './invoices/share-links.ts';
import { operationCard } from './operations/card.ts';
import { createKinds, KINDS } from './operations/kinds/kinds.ts';
import { createOperationJobs, createOperations } from './operations/operations.ts';
import { createContinuityWatch, createMaintenance, createPaymentsGate } from './operations/payments-gate.ts';
import { OPERATION } from './operations/store.ts';
import { deriveKeys } from './platform/encryption.ts';
import { tagOf } from './platform/storage.ts';
import { prefixOf } from './platform/stored-data.ts';
import { createOperatorInvoices } from './rental-api/client.ts';
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
  const { log, rental, storage, jobs, secrets, records, telegram, texts, calls } = infrastructure;
  // Replicas compare times, so all of them use the storage's clock.
  const now = appOptions.now ?? storage.now;
  const { rentalApiKey: operatorKey, adminIds } = config;
  const isAdmin = (user: number) => adminIds.has(user);
  /** What the modules share. */
  const shared = { ...infrastructure, operatorKey, isAdmin, supportUrl, now };

  // Users and their linked accounts.
  const accounts = createAccounts(shared);
  const { links, webhookSubscriptions, addressBook, users } = accounts;

  // Operations and invoices. Their notifications go through Telegram, which is set up below.
  const continuity = createContinuityWatch({
    storage,
    report: (loss) => accountEvents.adminAlerts.continuityLost(loss),
    log,
  });
  const maintenance = createMaintenance(shared);
  const paymentsGate = createPaymentsGate({
    ...shared,
    maintenance,
    volatile: redisUrl === undefined,
    continuity,
  });
  const kinds = createKinds(appOptions.kinds ?? KINDS);
  const operatorInvoices = operatorKey ? createOperatorInvoices({ rental, operatorKey }) : undefined;
  const invoiceJobs = createInvoiceJobs({ jobs });
  const invoices = createInvoices({
    ...shared,
    operatorInvoices,
    apiKey: links.apiKey,
    markAsMerchant: links.markAsMerchant,
    dataSince: continuity.since,
    isNotMade: async (ref) => (await operations.drafts.find(ref))?.state === 'refused',
    notifyGuestLimitReached: () => accountEvents.adminAlerts.guestLimitReached(),
    updateCard: (invoice, card) => accountEvents.showInvoice(invoice, card),
    enqueueUpdate: invoiceJobs.enqueueUpdate,
  });
  invoiceJobs.define(invoices, pace.reconcileMs);
  const invoiceLinks = createInvoiceLinks({
    tokenOf: invoices.shares.tokenOf,
    botName: () => bot.botInfo.username,
    publicUrl,
  });
  const operationJobs = createOperationJobs({ jobs });
  const operations = createOperations({
    ...shared,
    ...accounts,
    continuity,
    kinds,
    apiKey: links.apiKey,
    reported: webhookSubscriptions.isActive,
    withdrawCap: config.withdrawCapTrx,
    operatorInvoices,
    applyGuestLimits: invoices.applyGuestLimits,
    onExecuted: (operation) =>
      kinds.of(operation.request).isTrackedElsewhere
        ? invoices.track(operation)
        : accountEvents.notifyWithdrawal(operation),
    show: (operation, may) => accountEvents.showOperation(operation, may),
    enqueue: operationJobs.enqueue,
    heartbeat: pace.heartbeat,
  });
  operationJobs.define(operations, pace.reconcileMs);

  // Notifications of events, operations and invoices.
  const accountEvents = createAccountEvents({
    ...shared,
    ...accounts,
    operations,
    invoices,
    invoiceLinks,
    sender: telegram.sender,
    admins: adminIds,
    isReachable: publicUrl !== undefined,
    runIntervalMs: pace.reconcileMs,
    featureKinds: (appOptions.features ?? FEATURES).flatMap(({ notifications = [] }) => notifications),
  });

  // Broadcasts.
  const broadcasts = createBroadcasts({
    ...shared,
    ...telegram,
    users,
    links,
    admins: adminIds,
    optOut: (language) => optOutRow(texts.in(language)),
    notifyAdmins: accountEvents.adminAlerts.broadcastChanged,
    notifyOfReplay: accountEvents.adminAlerts.broadcastReplayed,
    runMs: pace.reconcileMs,
    wait: appOptions.wait,
  });

  // Reports of records that can't be read: written by another version, or changed from outside.
  const { unreadableRecords } = accountEvents;
  records.onUnreadable(unreadableRecords.add);
  const checkFormats = createFormatCheck({
    ...shared,
    readers: {
      [prefixOf(OPERATION)]: operations.readRecord,
      [prefixOf(LINK)]: (key) => links.find(Number(tagOf(key))),
    },
    report: unreadableRecords.report,
  });
  jobs.every('unreadable-records', pace.reconcileMs ?? UNREADABLE_REPORT_MS, checkFormats);

  // Erasure of users' data.
  const userErasure = composeUserErasure({
    ...shared,
    accounts,
    operations,
    invoices,
    accountEvents,
    sender: telegram.sender,
    eraseInFeatures: async (user) => {
      for (const { eraseUser } of features) await eraseUser?.(user);
    },
  });

  // The bot: its features, and how updates reach them.
  const card: FeatureDeps['card'] = async (words, operation) => {
    const reported = operation.state === 'done' && (await webhookSubscriptions.isActive(operation.account));
    return operationCard(words, operation, { kind: kinds.of(operation.request), reported, supportUrl });
  };
  const definitions = appOptions.features ?? FEATURES;
  const openMenu: FeatureDeps['openMenu'] = async (ctx) => menu?.open?.(ctx);
  const featureDeps: FeatureDeps = {
    ...accounts,
    ...accountEvents,
    rental,
    quotes: createQuotes({ rental, lastPrices: operations.lastPrices }),
    operations,
    card,
    invoices,
    invoiceLinks,
    now,
    broadcasts,
    isAdmin,
    userErasure,
    paymentsGate,
    maintenance,
    notifyMaintenanceChange: accountEvents.adminAlerts.maintenanceChanged,
    state: {
      storage,
      startedAt: now(),
      version: readVersion(),
      rental: calls.rental.seen,
      telegram: calls.telegram.seen,
      overdue: { operations: operations.overdueMs, invoices: invoices.overdueMs, jobs: jobs.overdueMs },
    },
    sendQueue: operations.sendQueue,
    texts,
    supportUrl,
    accountUrl,
    operatorKey,
    hookUrl: publicUrl ? (hook) => `${publicUrl}${EVENTS_PATH}/${hook}` : undefined,
    openMenu,
    features: () => features,
    privacyLines: definitions.flatMap(({ stores }) => stores?.text ?? []),
    storage,
    records,
  };
  const features = definitions.map(({ create }) => create(featureDeps));
  for (const { name: feature, watchers = [] } of features)
    for (const { name, everyMs, run } of watchers)
      jobs.every(`${feature}-${name}`, pace.reconcileMs ?? everyMs, run);
  const buttonTokens = createButtonTokens({
    keys: deriveKeys(secrets, 'buttons'),
    storage,
    now,
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
    users,
    maintenance,
    openMenu,
    isAdmin,
    supportUrl,
    operator: accounts.operator,
    adminAlerts: accountEvents.adminAlerts,
    dropFlood: (update) => floods.drop(update),
    onReturn: accountEvents.outbox.onUserReturned,
    updatePace: pace.updates,
    now,
    log,
  });
  const floods = createFloodReplies({ api: bot.api, texts, log, now });
  const receiving = createUpdateReceiver({ bot, texts, log, now });

  // Ingress of updates and events.
  const incoming = createIngress({
    ...shared,
    config,
    appOptions,
    bot,
    updates: { receive: receiving.receive, drop: floods.drop },
    events: accountEvents.eventReceiver,
    invoicePage: {
      texts,
      find: invoices.shares.find,
      check: invoices.checkBeforePayment,
      recordOpened: invoices.recordOpened,
      pollSoon: invoices.pollSoon,
    },
  });

  return {
    log,
    rental,
    storage,
    jobs,
    telegram,
    texts,
    continuity,
    accountEvents,
    broadcasts,
    sendQueue: operations.sendQueue,
    settledCounts: operations.settledCounts,
    paymentsGate,
    features,
    bot,
    receiving,
    incoming,
  };
}
