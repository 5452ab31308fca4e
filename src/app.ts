import { getRequestListener } from '@hono/node-server';
import { botDescription, startBot } from './bot/bot.ts';
import { type AppOptions, composeServices } from './composition.ts';
import { type Config, configWarnings } from './config.ts';
import { REDIS_DATA } from './health/checks/first-start.ts';
import { TELEGRAM_UPDATES } from './health/checks/telegram.ts';
import { explainRedis } from './health/redis-problem.ts';
import { formatVersion } from './platform/version.ts';
import { callWithRetry, MAX_BACKOFF_MS } from './telegram/fetch.ts';
import { describeBot } from './telegram/telegram.ts';
import { createHttpServer } from './web/http-server.ts';

/** Maximum wait at the start for a response or for progress of Redis, in milliseconds. The machine may still be starting. */
const START_PATIENCE_MS = 15_000;
const UNKNOWN = { why: 'the storage does not respond' };

/** Creates the app, which starts and stops its modules in order. `composition.ts` creates the modules. */
export function createApp(config: Config, appOptions: AppOptions = {}) {
  const services = composeServices(config, appOptions);
  const {
    log,
    recurringWork,
    storage,
    bot,
    polling,
    webhook,
    webhookUse,
    texts,
    features,
    health,
    metricsHandler,
  } = services;
  const stopping = new AbortController();
  const { signal } = stopping;
  let phase: 'starting' | 'running' | 'stopping' = 'starting';
  let describing: Promise<void> | undefined;
  /** Whether `SECRET_KEY` isn't a wrong one, so that users' requests may be handled. */
  let isKeyChecked = false;
  const web = services.createWebServer({
    isOpen: () => isKeyChecked,
    readiness() {
      const { isReady, failing } = health.readiness();
      const version = formatVersion(services.version);
      return { version, isReady: isReady && phase === 'running', phase, failing };
    },
  });

  /** Ends the start if the stored data is of another `SECRET_KEY`, before anything is written, sent or erased. */
  async function checkKey(): Promise<void> {
    const { is, isMade } = await services.canary.prepare(services.hasData, services.firstStart.begin);
    if (is === 'missing') await services.firstStart.beginWithoutCanary();
    isKeyChecked = true;
    if (isMade && config.redisUrl) log.info('the storage is empty, as in a new installation');
  }

  /**
   * Alerts at once if Redis was emptied since the last start. Ends the start if Redis fails: after the commands are set, a
   * new installation would look like an emptied one.
   */
  async function completeFirstStart(): Promise<void> {
    if (!config.redisUrl) return;
    const isCompleted = await callWithRetry(services.firstStart.complete, {
      log,
      signal,
      maxWaitMs: MAX_BACKOFF_MS,
    });
    if (!isCompleted) return;
    void health.measureNow(REDIS_DATA.name);
  }

  async function begin(): Promise<void> {
    log.info({ ...services.version, node: process.version, replica: health.replica }, 'starting');
    if (!config.redisUrl)
      log.warn('REDIS_URL is not set: all data is in memory and lost when the process ends');
    for (const weakness of configWarnings(config)) log.warn(weakness);
    void health.begin();
    const server = await storage.check({ patienceMs: START_PATIENCE_MS });
    await checkKey();
    // The checks compare it with Telegram's webhook.
    if (webhook) await webhookUse.begin(webhook.url);
    await health.start();
    await services.continuity.check();
    recurringWork.start();
    services.continuity.start();
    const closed = await services.paymentsGate.closed().catch(() => UNKNOWN);
    await startBot(bot, { webhook, webhookUse, onTried: webhookUse.recordTry, log, signal });
    // Telegram may have refused the webhook for a while.
    if (webhook) void health.measureNow(TELEGRAM_UPDATES.name);
    await completeFirstStart();
    const isWaiting = polling !== undefined && (await webhookUse.url()) !== undefined;
    polling?.start();
    phase = 'running';
    log.info(
      {
        mode: webhook ? 'webhook' : 'polling',
        storage: server,
        payments: closed ? `closed: ${closed.why}` : 'open',
      },
      isWaiting ? 'this process waits: replicas on the same Redis use a webhook' : 'the bot takes updates',
    );
    // The start doesn't wait for the description, because the bot runs without it.
    describing = describeBot(bot.api, botDescription(texts, features), { log, signal });
  }

  return {
    log,
    ...web,
    /** Creates a server. The caller makes it listen. */
    createServer: () => createHttpServer(web.listener),
    /** Handles requests for metrics. `undefined` if they aren't served. */
    fetchMetrics: metricsHandler,
    createMetricsServer: () => metricsHandler && createHttpServer(getRequestListener(metricsHandler)),
    /**
     * Begins to take updates and to execute pending work. Resolves once Telegram knows where to send updates. Rejects if
     * Telegram rejects the bot, or Redis can't be used.
     */
    async start(): Promise<void> {
      try {
        await begin();
      } catch (error) {
        throw explainRedis(texts.in('en'), error as Error);
      }
    },
    /** Finishes the work in progress, then closes all connections. */
    async stop(reason?: NodeJS.Signals): Promise<void> {
      log.info({ signal: reason }, 'stopping: work in progress is finished first');
      phase = 'stopping';
      stopping.abort();
      await health.stop();
      await Promise.all([polling?.stop(), describing]);
      await services.whenUpdatesHandled();
      await services.operations.sendQueue.close();
      // The card after a wrong code follows its request.
      await services.whenLaterChangesDone();
      await services.broadcasts.close();
      await services.accountEvents.close();
      await services.invoices.poller.close();
      await services.notifications.close();
      services.continuity.stop();
      services.userKeys.stop();
      services.accounts.userCounts.stop();
      await recurringWork.stop();
      const dueWork = [services.operations.reconciler, services.invoices.cards, services.userErasure];
      await Promise.all(dueWork.map(({ close }) => close()));
      services.eventLoop.stop();
      await Promise.allSettled([services.rental.close(), services.telegram.close()]);
      await storage.close();
      log.info('stopped');
    },
  };
}

export type App = ReturnType<typeof createApp>;
