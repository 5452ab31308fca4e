import { randomBytes } from 'node:crypto';
import type { Update } from 'grammy/types';
import { createAccountEvents } from './account-events/account-events.ts';
import { createAccountKeys } from './accounts/account-keys.ts';
import { createAccounts } from './accounts/accounts.ts';
import { nameOf } from './accounts/address-book.ts';
import { createUnlinkForErasure, createUserErasure, ERASURE_RUN_MS } from './accounts/erase-user.ts';
import { createLastOperatorAccount, createOperatorKeyWatch } from './accounts/operator.ts';
import { createUsers } from './accounts/users.ts';
import { createBot } from './bot/bot.ts';
import type { UpdateTimeouts } from './bot/context.ts';
import type { Feature, FeatureDeps } from './bot/feature.ts';
import { createUnpaidReader } from './bot/money-flow.ts';
import { createButtonTokens } from './bot/router.ts';
import { createBroadcasts } from './broadcasts/broadcasts.ts';
import { type Config, secretsOf } from './config.ts';
import { type AllFeatureDeps, FEATURES } from './features/features.ts';
import { createErasureReporter } from './features/people/erasure.ts';
import { createErasureNotifier } from './features/privacy/forget.ts';
import { promisingOperations, reportOperatorLink } from './features/views/account-links.ts';
import { findEarlierPurchase, hasEarlierPurchaseChanged } from './features/views/earlier-purchase.ts';
import { ADMINS } from './health/checks/admins.ts';
import { createFirstStart, FIRST_START } from './health/checks/first-start.ts';
import { postWithoutSecret } from './health/checks/telegram.ts';
import type { HealthDeps } from './health/checks.ts';
import { examineAll } from './health/examine.ts';
import { createHealth } from './health/health.ts';
import { HEALTH } from './health/reports.ts';
import { createTexts, type Texts } from './i18n/texts.ts';
import { UPDATE_RUN_MS } from './invoices/card-updates.ts';
import { createInvoiceLinks, createInvoices } from './invoices/invoices.ts';
import { createMetrics, type Prometheus } from './metrics.ts';
import { closedCard } from './notifications/address-notification.ts';
import { createNotifications } from './notifications/notifications.ts';
import { createOutboxStore } from './notifications/outbox-store.ts';
import { operationCard } from './operations/card.ts';
import { createContinuityWatch } from './operations/continuity.ts';
import { createKinds, type OperationKind } from './operations/kinds/kind.ts';
import { createMaintenance } from './operations/maintenance.ts';
import { isReportAwaited, isUncertain, messageForResult, OPERATION } from './operations/operation.ts';
import { createOperationFinder, createOperations, KINDS } from './operations/operations.ts';
import { createPaymentsGate } from './operations/payments-gate.ts';
import { createLastPrices } from './operations/queries.ts';
import { createQuotes } from './operations/quotes.ts';
import { RECONCILE_MS } from './operations/reconcile.ts';
import type { HeartbeatPace } from './operations/recovery.ts';
import { createPictureRenderer, type RenderPicture } from './pictures/render.ts';
import { shareResult } from './platform/async.ts';
import { createCanary } from './platform/canary.ts';
import { createSeal, deriveKeys } from './platform/encryption.ts';
import { createGivenUp } from './platform/given-up.ts';
import { createLeases, type LeaseTimings } from './platform/leases.ts';
import { createLog, type Log } from './platform/log.ts';
import { createMemoryStorage } from './platform/memory-storage.ts';
import { TICK_MS } from './platform/poll-runner.ts';
import { readMemory, watchEventLoop } from './platform/process-load.ts';
import { createSharedRateLimiter } from './platform/rate-limit.ts';
import { createSignedRecords, prefixOf } from './platform/records.ts';
import { createRecurringWork, type RecurringWork } from './platform/recurring-work.ts';
import { createRedisStorage } from './platform/redis-storage.ts';
import { type Connect, createRecentCalls } from './platform/service-calls.ts';
import { type Storage, StorageUnavailable } from './platform/storage.ts';
import { createUnreadableRecords } from './platform/unreadable-records.ts';
import { createUserKeys } from './platform/user-keys.ts';
import { formatVersion, readVersion } from './platform/version.ts';
import {
  createOperatorInvoices,
  createRental,
  isKeyRefused,
  OPERATOR_ACCOUNT,
  type Rental,
} from './rental-api/client.ts';
import type { Priority } from './rental-api/rate-limits.ts';
import {
  allStoredData,
  createStoredDataChecks,
  hasStoredData,
  overdueQueues,
  recordFormats,
  retainedKinds,
} from './stored-data.ts';
import { createBulkLimit } from './telegram/bulk-limit.ts';
import { createTelegram, setWebhook, type Telegram } from './telegram/telegram.ts';
import { createPolling, createStoredUpdates, createWebhookUpdates } from './telegram/updates.ts';
import { createWebhookUse, WEBHOOK_USE_RENEWAL_MS } from './telegram/webhook-use.ts';
import { createWeb, type WebOptions } from './web/server.ts';

/** Options of the app for tests and extensions. */
export interface AppOptions {
  /** Clock of the app in epoch milliseconds. The default is the storage's clock. */
  now?: () => number;
  /** Waits between messages of a broadcast. Tests can skip the wait. */
  wait?: (ms: number) => Promise<unknown>;
  log?: Log;
  /** Replacements of the configured storage and of recurring work. Tests record, stop or share them. */
  storage?: Storage;
  recurringWork?: RecurringWork;
  /** Replacements of the clients of the rental service and of the Bot API. */
  rental?: Rental;
  telegram?: Telegram;
  /** Replacement of undici's connection pools. */
  connect?: Connect;
  /** Replacement of the renderer, whose threads take real time. */
  renderPicture?: RenderPicture;
  /** Set if metrics are served. */
  prometheus?: Prometheus | undefined;
  kinds?: readonly OperationKind[];
  features?: typeof FEATURES;
  texts?: Texts;
  /** Timings in milliseconds. Only tests set them, to detect dead processes sooner and to confirm cards at once. */
  pace?: {
    slowMs?: number;
    updates?: UpdateTimeouts;
    heartbeat?: HeartbeatPace;
    reconcileMs?: number;
    confirmableAfterMs?: number;
    leases?: LeaseTimings;
  };
}

/** Interval at which records that can't be read are reviewed, in milliseconds. */
const UNREADABLE_REVIEW_MS = 60_000;
/** Interval at which a process finds out whether a daily check is due, in milliseconds. */
const CHECK_SEARCH_MS = 60_000;
/** Interval of searches for stored updates of dead processes, in milliseconds. */
const STORED_UPDATES_POLL_MS = 3_000;
/** Time for which checks share what they measure, in milliseconds. Shorter than the pause before a second look. */
const MEASUREMENT_SHARED_MS = 1_000;
/** Interval at which the operator account's number is stored, in milliseconds. */
const LAST_ACCOUNT_UPDATE_MS = 60_000;
const UPDATES_PATH = '/updates/telegram';
/** Path of service webhooks. Each hook has its own path below this one. */
const EVENTS_PATH = '/events';

/** Creates the infrastructure that all modules use: rental client, storage, Telegram, texts and pictures. */
function createInfrastructure(config: Config, appOptions: AppOptions) {
  const { redisUrl, botToken: token, telegramApiRoot: apiRoot } = config;
  const { now: processNow = Date.now, pace = {}, connect } = appOptions;
  const log = appOptions.log ?? createLog({ level: config.logLevel, secrets: secretsOf(config) });
  const operationKinds = (appOptions.kinds ?? KINDS).map(({ name }) => name);
  const metrics = appOptions.prometheus && createMetrics(appOptions.prometheus, { operationKinds });
  const calls = {
    rental: createRecentCalls({ now: processNow, onCall: metrics?.onRentalCall }),
    telegram: createRecentCalls({ now: processNow, onCall: metrics?.onTelegramCall }),
  };
  const storage =
    appOptions.storage ??
    (redisUrl ? createRedisStorage({ url: redisUrl, log }) : createMemoryStorage({ now: processNow }));
  const leases = createLeases({ storage, timings: pace.leases });
  const recurringWork =
    appOptions.recurringWork ?? createRecurringWork({ storage, log, timings: pace.leases });
  const operatorKeyWatch = createOperatorKeyWatch({ operatorKey: config.rentalApiKey });
  const secrets = config.secretKeys.length > 0 ? config.secretKeys : [randomBytes(32)];
  const keys = deriveKeys(secrets, 'records');
  const records = createSignedRecords({ storage, keys, formats: recordFormats(), log });
  const featureData = (appOptions.features ?? FEATURES).flatMap(({ stores }) => stores?.data ?? []);
  const userKeys = createUserKeys({ storage, records, log, data: [...allStoredData(), ...featureData] });
  const seal = createSeal(deriveKeys(secrets, 'seal'));
  // Replicas compare times, so all of them use the storage's clock.
  const now = appOptions.now ?? storage.now;
  const sharedLimiter = createSharedRateLimiter({ storage, now });
  const bulkLimit = createBulkLimit({ sharedLimiter, records, now, log });
  const rental =
    appOptions.rental ??
    createRental({
      baseUrl: config.rentalApiUrl,
      log,
      now: processNow,
      calls: calls.rental,
      connect,
      sharedLimiter,
      isOperatorKey: (key) => key === config.rentalApiKey,
      onKeyRefused: operatorKeyWatch.onKeyRefused,
    });
  const telegram =
    appOptions.telegram ??
    createTelegram({ token, apiRoot, calls: calls.telegram, bulkLimit, now: processNow, log, connect });
  return {
    log,
    now,
    metrics,
    calls,
    storage,
    userKeys,
    recurringWork,
    secrets,
    records,
    rental,
    operatorKeyWatch,
    leases,
    seal,
    canary: createCanary({ storage, seal }),
    givenUp: createGivenUp({ storage }),
    bulkLimit,
    telegram,
    texts: appOptions.texts ?? createTexts({ explorerUrl: config.explorerUrl }),
    renderPicture: appOptions.renderPicture ?? createPictureRenderer({ log }),
  };
}

type Infrastructure = ReturnType<typeof createInfrastructure>;
type Modules = ReturnType<typeof createModules>;

/** Creates the modules below the features: accounts, notifications, operations, invoices, events and broadcasts. */
function createModules(
  config: Config,
  appOptions: AppOptions,
  infrastructure: Infrastructure,
  /** Features and name of the bot, which are created after the modules. */
  later: { features: readonly Feature[]; botName: () => string },
) {
  const { publicUrl, redisUrl, supportUrl, rentalApiKey: operatorKey, adminIds } = config;
  const { pace = {} } = appOptions;
  const { log, now, metrics, rental, storage, recurringWork, records, telegram } = infrastructure;
  /** Dependencies that the modules share. */
  const shared = {
    ...infrastructure,
    operatorKey,
    isAdmin: (user: number) => adminIds.has(user),
    admins: adminIds,
    supportUrl,
    canAlert: publicUrl !== undefined,
    runIntervalMs: pace.reconcileMs,
  };

  // Users and their linked accounts.
  const accounts = createAccounts(shared);
  const { links, operator, webhookSubscriptions, users } = accounts;
  const backgroundRental = rental.withPriority('background');
  const accountKeys = createAccountKeys({ ...shared, ...accounts, rental: backgroundRental });

  // Read-only views of operations and invoices, for notifications.
  const definitions = appOptions.features ?? FEATURES;
  const kinds = createKinds(appOptions.kinds ?? KINDS);
  const operationFinder = createOperationFinder({ storage, records, kinds });
  const invoiceLinks = createInvoiceLinks({ ...shared, botName: later.botName, publicUrl });

  // Notifications: everything that speaks to users without an update.
  const notifications = createNotifications({
    ...shared,
    ...accounts,
    accountKeys,
    kinds,
    findOperation: operationFinder.find,
    confirmedSince: operationFinder.confirmedSince,
    findUnpaid: createUnpaidReader(storage),
    invoiceLinks,
    reported: webhookSubscriptions.isActive,
    sender: telegram.sender,
    eventObserver: metrics?.eventObserver,
    featureKinds: definitions.flatMap(({ notifications: declared = [] }) => declared),
  });
  const { adminAlerts } = notifications;

  // Whether payments are possible.
  const continuity = createContinuityWatch({ storage, report: adminAlerts.continuityUnproved, log });
  const maintenance = createMaintenance(shared);
  const volatile = redisUrl === undefined;
  const paymentsGate = createPaymentsGate({ ...shared, maintenance, volatile, continuity });

  // Invoices and operations.
  const operatorInvoices = operatorKey ? createOperatorInvoices({ rental, operatorKey }) : undefined;
  const reportContradiction = adminAlerts.orderContradicted;
  const invoices = createInvoices({
    ...shared,
    operatorInvoices,
    apiKey: links.apiKey,
    dataSince: continuity.since,
    async hasEvents(account) {
      const id = account === OPERATOR_ACCOUNT ? operator.knownAccount() : account;
      return publicUrl !== undefined && id !== undefined && webhookSubscriptions.isActive(id);
    },
    isNotMade: async (ref) => (await operationFinder.find(ref))?.state === 'refused',
    reportContradiction,
    notifyGuestLimitReached: adminAlerts.guestLimitReached,
    updateCard: notifications.showInvoice,
  });
  const lastPrices = createLastPrices({ records, kinds, now });
  const quotes = createQuotes({ ...shared, lastPrices });
  const operations = createOperations({
    ...shared,
    ...accounts,
    continuity,
    kinds,
    apiKey: links.apiKey,
    keyToFollow: links.keyToFollow,
    reported: webhookSubscriptions.isActive,
    lastPrices,
    market: quotes.market,
    onPricesRead: quotes.update,
    withdrawCap: config.withdrawCapTrx,
    reportContradiction,
    operatorInvoices,
    applyGuestLimits: invoices.applyGuestLimits,
    onExecuted(operation) {
      const kind = kinds.of(operation.request);
      return kind.isTrackedElsewhere
        ? invoices.track(operation, messageForResult(kind, operation))
        : notifications.notifyWithdrawal(operation);
    },
    async show(operation, may) {
      const shown = await notifications.showOperation(operation, may);
      // The purchase may have changed the balance. If this fails, the regular poll still reads it later.
      if (operation.state === 'done')
        await accountEvents.pollers.pollBalanceIfNeeded(operation.account).catch(() => undefined);
      // Cosmetic: a tap on a button that no longer applies also says so.
      if (operation.state === 'done' || isUncertain(operation))
        await notifications.addressNotifications.withdrawn(operation).catch(() => undefined);
      return shown;
    },
    onWritten: (before, after) => metrics?.onOperationWritten(before, after, now()),
    heartbeatPace: pace.heartbeat,
  });

  // Events and polls of accounts.
  const accountEvents = createAccountEvents({
    ...shared,
    ...accounts,
    ...notifications,
    rental: backgroundRental,
    accountKeys,
    operations,
    invoices,
  });

  // Broadcasts.
  const broadcasts = createBroadcasts({
    ...shared,
    ...telegram,
    ...accounts,
    notifyAdmins: adminAlerts.broadcastChanged,
    notifyOfReplay: adminAlerts.broadcastReplayed,
    onProgress: metrics?.onBroadcastProgress,
    runMs: pace.reconcileMs,
    wait: appOptions.wait,
  });

  // Reports of records that can't be read: written by another version, or changed from outside.
  const unreadable = createUnreadable(infrastructure, operationFinder);
  records.onUnreadable(unreadable.add);
  const checks = createStoredDataChecks({
    ...shared,
    unreadable,
    repairIndexes: accounts.repairIndexes,
    notifyUsers: notifications.notifyOfUnreadable,
  });
  recurringWork.every(
    'unreadable-records',
    pace.reconcileMs ?? UNREADABLE_REVIEW_MS,
    checks.reviewUnreadable,
  );
  recurringWork.every('key-check', pace.reconcileMs ?? CHECK_SEARCH_MS, checks.checkKeys);
  recurringWork.every('user-count-check', pace.reconcileMs ?? CHECK_SEARCH_MS, accounts.userCounts.check);

  // Erasure of users' data.
  const userErasure = createUserErasure({
    ...shared,
    retainedKinds: retainedKinds(),
    unlink: createUnlinkForErasure({
      ...accounts,
      ...invoices,
      notifyOperatorUnlinked: (...unlinked) =>
        reportOperatorLink({ ...accounts, ...notifications }, 'unlinked', ...unlinked),
    }),
    modules: [
      async ({ user }) => {
        for (const operation of await promisingOperations({ operations, now }, user))
          await notifications.showOperation(operation, 'edit');
      },
      ({ user }) => users.erase(user),
      ({ user, language }) => notifications.addressNotifications.eraseUser(user, language),
      ({ user, at }, keys) => operations.eraseUnconfirmed(user, keys, at),
      ({ user }, keys) => notifications.eraseUser(user, keys),
      async ({ user }) => {
        for (const { eraseUser } of later.features) await eraseUser?.(user);
      },
    ],
    notify: createErasureNotifier({ ...shared, ...accounts, operations, invoices, sender: telegram.sender }),
    notifyAdmin: createErasureReporter({ ...shared, ...notifications }),
  });

  // Work that is due: on one replica at a time, except for polls.
  const { cards, poller } = invoices;
  recurringWork.every('reconcile-operations', pace.reconcileMs ?? RECONCILE_MS, operations.reconciler.run);
  recurringWork.every('invoices-card-updates', pace.reconcileMs ?? UPDATE_RUN_MS, cards.startDue);
  recurringWork.onEachReplica('invoice-polls', pace.reconcileMs ?? TICK_MS, poller.pollDue);
  recurringWork.every('erasures', pace.reconcileMs ?? ERASURE_RUN_MS, userErasure.startDue);

  return {
    shared,
    accounts,
    kinds,
    operationFinder,
    invoiceLinks,
    notifications,
    continuity,
    maintenance,
    paymentsGate,
    invoices,
    quotes,
    operations,
    accountEvents,
    broadcasts,
    userErasure,
  };
}

function createUnreadable(
  infrastructure: Infrastructure,
  { readKey }: Pick<ReturnType<typeof createOperationFinder>, 'readKey'>,
) {
  return createUnreadableRecords({ ...infrastructure, readers: { [prefixOf(OPERATION)]: readKey } });
}

/** Creates what the health checks measure. Changes nothing. */
function createCheckDeps(
  { publicUrl, redisUrl, rentalApiKey, adminIds: admins }: Config,
  infrastructure: Infrastructure,
  more: Pick<HealthDeps, 'continuity' | 'firstStart' | 'readOutboxBacklog' | 'eventLoop' | 'findUser'> & {
    polling: () => ReturnType<typeof createPolling> | undefined;
    operationFinder: ReturnType<typeof createOperationFinder>;
    lastAccount: () => Promise<number | undefined>;
    priority: Priority;
  },
) {
  const { log, calls, secrets, storage, telegram, givenUp } = infrastructure;
  const rental = infrastructure.rental.withPriority(more.priority);
  // At the start, the checks of the service and of the clocks together would exceed the limit of background reads.
  let hasResponded = false;
  const readProfile = shareResult(async () => {
    const outcome = await (rentalApiKey
      ? rental.profile(rentalApiKey)
      : infrastructure.rental.profileWithoutKey());
    hasResponded ||= outcome.kind === 'accepted' || isKeyRefused(outcome);
    return outcome;
  }, MEASUREMENT_SHARED_MS);
  const secretTokens = deriveKeys(secrets, 'telegram-webhook').map((key) => key.toString('base64url'));
  const [secretToken = ''] = secretTokens;
  const webhookUrl = publicUrl && `${publicUrl}${UPDATES_PATH}`;
  const webhookUse = createWebhookUse(infrastructure);
  const { firstStart, continuity } = more;
  const checkDeps: HealthDeps = {
    ...infrastructure,
    // Checks that run together share a measurement.
    storage: { ...storage, inspect: shareResult(storage.inspect, MEASUREMENT_SHARED_MS) },
    webhookUrl,
    webhookUse,
    admins,
    findUser: more.findUser,
    telegram: {
      getChat: (id) => telegram.api.getChat(id),
      getMe: () => telegram.api.getMe(),
      getWebhookInfo: () => telegram.api.getWebhookInfo(),
      setWebhook: (url) =>
        setWebhook(
          telegram.api,
          { url, secretToken },
          {
            ...{ log, maxTotalWaitMs: 0 },
            // The check that calls this reports a failure.
            onTried: async (accepted, fault) => fault ?? webhookUse.recordTry(accepted),
          },
        ),
      async deleteWebhook() {
        await telegram.api.deleteWebhook();
        more.polling()?.retryNow();
      },
    },
    pollingProblem: () => more.polling()?.problem(),
    postWithoutSecret,
    service: {
      hasKey: rentalApiKey !== undefined,
      readProfile,
      lastAccount: more.lastAccount,
      hasResponded: () => hasResponded,
    },
    async clockDifferences() {
      const [service, bot] = [calls.rental.seen, calls.telegram.seen];
      if (service().clockDifferenceMs === undefined) await readProfile();
      if (bot().clockDifferenceMs === undefined) await telegram.api.getMe().catch(() => undefined);
      return { telegram: bot().clockDifferenceMs, service: service().clockDifferenceMs };
    },
    ...(redisUrl === undefined
      ? { firstStart: undefined, continuity: undefined }
      : { firstStart, continuity }),
    hasData: () => hasStoredData(storage),
    unreadable: createUnreadable(infrastructure, more.operationFinder),
    unknownOutcomes: more.operationFinder.countUnknown,
    findOperation: more.operationFinder.find,
    readOutboxBacklog: more.readOutboxBacklog,
    overdue: () => overdueQueues(storage),
    givenUp: givenUp.counts,
    eventLoop: more.eventLoop,
    memory: readMemory,
  };
  return {
    checkDeps,
    webhookUse,
    secretTokens,
    webhook: webhookUrl ? { url: webhookUrl, secretToken } : undefined,
  };
}

/**
 * Creates a function that measures all health checks once. Opens connections, which end with the process. Stores and sends
 * nothing.
 */
export function composeDoctor(config: Config, appOptions: AppOptions = {}) {
  const silent = { log: createLog({ level: 'silent' }), ...appOptions };
  const infrastructure = createInfrastructure(config, silent);
  const { records, storage, texts } = infrastructure;
  const lastAccount = createLastOperatorAccount({ records });
  const users = createUsers(infrastructure);
  const { checkDeps, webhookUse } = createCheckDeps(config, infrastructure, {
    ...{
      lastAccount: () => unlessUnavailable(lastAccount.find()),
      findUser: (id) => unlessUnavailable(users.find(id)),
      firstStart: { find: () => records.store(FIRST_START).get({}) },
      continuity: undefined,
      polling: () => undefined,
    },
    operationFinder: createOperationFinder({ storage, records, kinds: createKinds(KINDS) }),
    readOutboxBacklog: () => createOutboxStore(infrastructure).readBacklog(storage.now()),
    // Only a running bot measures these.
    eventLoop: { longestMs: () => 0, meanMs: () => 0 },
    // Reads in the background are counted in Redis.
    priority: 'user',
  });
  return () => {
    // Telegram and the service are examined without Redis too.
    const use = {
      ...webhookUse,
      url: () => unlessUnavailable(webhookUse.url()),
      accepted: () => unlessUnavailable(webhookUse.accepted()),
    };
    const reports = unlessUnavailable(records.store(HEALTH).get({}));
    return examineAll({ ...checkDeps, webhookUse: use }, texts.in('en'), reports);
  };
}

/** Returns what was read, or `undefined` while the storage is unavailable. */
async function unlessUnavailable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof StorageUnavailable) return undefined;
    throw error;
  }
}

/** Creates the health checks and the webhook for Telegram's updates, which one of them watches. */
function createHealthChecks(
  config: Config,
  infrastructure: Infrastructure,
  { accounts, continuity, notifications, operationFinder }: Modules,
  polling: () => ReturnType<typeof createPolling> | undefined,
) {
  const { recurringWork, records } = infrastructure;
  const eventLoop = watchEventLoop();
  const lastAccount = createLastOperatorAccount({ records });
  // On each replica, because a process with a new key must not wait for the interval of an earlier one.
  recurringWork.onEachReplica('operator-account', LAST_ACCOUNT_UPDATE_MS, async () =>
    lastAccount.update(await accounts.operator.account()),
  );
  const firstStart = createFirstStart({
    ...infrastructure,
    getCommands: () => infrastructure.telegram.api.getMyCommands(),
  });
  const { checkDeps, ...webhooks } = createCheckDeps(config, infrastructure, {
    ...{ firstStart, continuity, polling, lastAccount: lastAccount.find },
    ...{ operationFinder, eventLoop, readOutboxBacklog: notifications.readOutboxBacklog },
    findUser: accounts.users.find,
    priority: 'background',
  });
  const { webhookUse, webhook } = webhooks;
  if (webhook)
    recurringWork.every('webhook-use', WEBHOOK_USE_RENEWAL_MS, () => webhookUse.renew(webhook.url));
  const { healthChanged: notifyAdmins } = notifications.adminAlerts;
  const { alertUnstored: notifyUnstored } = notifications;
  const health = createHealth({ ...infrastructure, checkDeps, notifyAdmins, notifyUnstored });
  return { ...webhooks, firstStart, health, hasData: checkDeps.hasData, eventLoop };
}

/**
 * Creates what receives updates and events: webhooks at a public URL, otherwise polling of updates only. The HTTP server
 * also shows invoices and readiness.
 */
function createIngress(
  { publicUrl, signatureHeader, supportUrl }: Config,
  { pace = {} }: AppOptions,
  { log, now, metrics, recurringWork, texts }: Infrastructure,
  { invoices, accountEvents, shared }: Pick<Modules, 'invoices' | 'accountEvents' | 'shared'>,
  {
    bot,
    updates,
    secretTokens,
    webhookUse,
  }: ReturnType<typeof createBot> &
    Pick<ReturnType<typeof createHealthChecks>, 'secretTokens' | 'webhookUse'>,
) {
  const updateOptions = {
    receive: metrics?.measured(updates.receive) ?? updates.receive,
    onDropped(update: Update) {
      metrics?.onUpdateDropped();
      updates.drop(update);
    },
    storedUpdates: createStoredUpdates(shared),
    log,
    slowMs: pace.slowMs,
  };
  const webhookUpdates = createWebhookUpdates(updateOptions);
  if (publicUrl) recurringWork.every('stored-updates', STORED_UPDATES_POLL_MS, webhookUpdates.handleStored);

  return {
    polling: publicUrl ? undefined : createPolling({ ...updateOptions, api: bot.api, webhookUse, now }),
    /** Creates the HTTP handler. */
    createWebServer: (state: Pick<WebOptions, 'readiness' | 'isOpen'>) =>
      createWeb({
        ...state,
        log,
        ...(publicUrl && {
          updates: { path: UPDATES_PATH, secretTokens, receive: webhookUpdates.receive },
          events: { ...accountEvents.eventReceiver, path: `${EVENTS_PATH}/:hook`, signatureHeader, now },
          invoicePage: {
            texts,
            botName: () => bot.botInfo.username,
            supportUrl,
            find: invoices.shares.find,
            check: invoices.checkBeforePayment,
            recordOpened: invoices.recordOpened,
            checkPayment: invoices.checkPayment,
            origin: new URL(publicUrl).origin,
            now,
          },
        }),
      }),
  };
}

/**
 * Composition root: creates each module after those that it needs (docs/architecture.md). The only function that knows
 * all modules.
 */
export function composeServices(config: Config, appOptions: AppOptions = {}) {
  const { publicUrl, supportUrl, accountUrl } = config;
  const { pace = {} } = appOptions;
  const version = readVersion();
  const startedMs = performance.now();
  const infrastructure = createInfrastructure(config, appOptions);
  const { log, now, storage, recurringWork, secrets, telegram, calls } = infrastructure;
  const definitions = appOptions.features ?? FEATURES;
  /** Filled once the dependencies of features exist. Erasure, menus and help read it later. */
  const features: Feature[] = [];
  const botName = () => bot.botInfo.username;
  const modules = createModules(config, appOptions, infrastructure, { features, botName });
  const { shared, accounts, kinds, notifications, operations, invoices, userErasure } = modules;

  const healthChecks = createHealthChecks(config, infrastructure, modules, () => ingress.polling);

  // The bot: its features, and how updates reach them.
  const card: FeatureDeps['card'] = async (words, operation, { note, book: known, message } = {}) => {
    const held = await notifications.addressNotifications.heldBy(operation, message);
    if (held) return closedCard(words, held);
    const { state, account, user, request } = operation;
    const kind = kinds.of(request);
    const [reported, reminder, offersSellerMode, isUnlinked, book] = await Promise.all([
      (state === 'done' || isReportAwaited(operation)) && accounts.webhookSubscriptions.isActive(account),
      notifications.rentalReminders.onReceipt(operation),
      state === 'done' && kind.isPaidByOther?.(request) && accounts.links.canOfferSellerMode(user),
      notifications.isUnlinked(operation),
      // A card that ended without a request needs no name.
      known ?? (state !== 'replaced' && state !== 'cancelled' && accounts.addressBook.get(user)),
    ]);
    const { canAlert } = shared;
    return operationCard(words, operation, {
      kind,
      savedName: book ? nameOf(book, kind.target(request)) : undefined,
      reported,
      reminder,
      canAlert,
      isUnlinked,
      offersSellerMode: offersSellerMode === true,
      supportUrl,
      note,
      now: now(),
    });
  };
  const openMenu: FeatureDeps['openMenu'] = async (ctx) =>
    features.find(({ name }) => name === 'menu')?.open?.(ctx);
  const featureDeps: AllFeatureDeps = {
    ...shared,
    ...accounts,
    ...notifications,
    ...modules.accountEvents,
    ...modules,
    card,
    findEarlierPurchase: (user, request) => findEarlierPurchase({ operations, invoices, now }, user, request),
    hasEarlierPurchaseChanged: (user, earlier) =>
      hasEarlierPurchaseChanged({ operations, invoices, now }, user, earlier),
    notifyMaintenanceChange: notifications.adminAlerts.maintenanceChanged,
    state: {
      storage,
      health: healthChecks.health,
      upMs: () => performance.now() - startedMs,
      version: formatVersion(version),
      rental: calls.rental.seen,
      telegram: calls.telegram.seen,
      overdue: {
        operations: operations.overdueMs,
        invoices: invoices.overdueMs,
        erasures: userErasure.overdueMs,
      },
    },
    sendQueue: operations.sendQueue,
    confirmableAfterMs: pace.confirmableAfterMs,
    accountUrl,
    hookUrl: publicUrl ? (hook) => `${publicUrl}${EVENTS_PATH}/${hook}` : undefined,
    openMenu,
    features: () => features,
    privacyLines: definitions.flatMap(({ stores }) => stores?.text ?? []),
  };
  features.push(...definitions.map(({ create }) => create(featureDeps)));
  for (const { name: feature, watchers = [] } of features)
    for (const { name, everyMs, run } of watchers)
      recurringWork.every(`${feature}-${name}`, pace.reconcileMs ?? everyMs, run);
  const buttonTokens = createButtonTokens(deriveKeys(secrets, 'buttons'), featureDeps);
  telegram.use(buttonTokens.sign);
  const { bot, updates } = createBot({
    ...featureDeps,
    token: config.botToken,
    client: telegram.client,
    chats: storage.chats,
    buttonTokens,
    async onReturn(chat) {
      if (shared.isAdmin(chat)) void healthChecks.health.measureNow(ADMINS.name);
      await Promise.all([notifications.outbox.onUserReturned(chat), userErasure.onUserReturned(chat)]);
    },
    updateTimeouts: pace.updates,
    log,
  });

  const ingress = createIngress(config, appOptions, infrastructure, modules, {
    ...{ bot, updates },
    ...healthChecks,
  });

  return {
    ...infrastructure,
    ...modules,
    metricsHandler: infrastructure.metrics?.serve({
      ...operations,
      ...notifications,
      ...healthChecks,
      storage,
      log,
    }),
    version,
    features,
    bot,
    whenUpdatesHandled: updates.whenIdle,
    whenLaterChangesDone: updates.whenLaterChangesDone,
    ...healthChecks,
    ...ingress,
  };
}
