import { botDescription, startBot } from './bot/bot.ts';
import { type AppOptions, composeServices } from './composition.ts';
import { type Config, configWarnings } from './config.ts';
import { powerLossRisk } from './platform/redis-connection.ts';
import { describeBot } from './telegram/telegram.ts';
import { createHttpServer } from './web/http-server.ts';

const UNKNOWN = { why: 'the storage does not respond' };

/** Creates the app, which starts and stops its modules in order. `composition.ts` creates the modules. */
export function createApp(config: Config, appOptions: AppOptions = {}) {
  const services = composeServices(config, appOptions);
  const { log, recurringWork, storage, bot, polling, webhook, texts, features, health } = services;
  const stopping = new AbortController();
  const { signal } = stopping;
  let phase: 'starting' | 'running' | 'stopping' = 'starting';
  let describing: Promise<void> | undefined;
  const web = services.createWebServer(() => {
    const { isReady, failing } = health.readiness();
    return { isReady: isReady && phase === 'running', phase, failing };
  });

  return {
    log,
    fetch: web.fetch,
    /** Creates a server that handles requests with `fetch`. The caller makes it listen. */
    createServer: () => createHttpServer(web.fetch),
    /**
     * Begins to take updates and to execute pending work. Resolves once Telegram knows where to send updates. Rejects if
     * Telegram rejects the bot.
     */
    async start(): Promise<void> {
      if (!config.redisUrl)
        log.warn('REDIS_URL is not set: all data is in memory and lost when the process ends');
      for (const weakness of configWarnings(config)) log.warn(weakness);
      await Promise.all([health.start(), storage.check()]);
      await services.continuity.check();
      recurringWork.start();
      services.continuity.start();
      const { why } = (await services.paymentsGate.closed().catch(() => UNKNOWN)) ?? {};
      if (why) log.warn({ reason: why }, 'payments are closed');
      const risk = config.redisUrl && powerLossRisk(await storage.fsyncPolicy().catch(() => 'unknown'));
      if (risk) log.warn(risk);
      if (webhook) await services.webhookUse.begin(webhook.url);
      await startBot(bot, { webhook, log, signal });
      polling?.start();
      phase = 'running';
      log.info({ mode: webhook ? 'webhook' : 'polling' }, 'the bot takes updates');
      // The start doesn't wait for the description, because the bot runs without it.
      describing = describeBot(bot.api, botDescription(texts, features), { log, signal });
    },
    /** Finishes the work in progress, then closes all connections. */
    async stop(): Promise<void> {
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
      await services.notifications.close();
      services.continuity.stop();
      await recurringWork.stop();
      const dueWork = [services.operations.reconciler, services.invoices.cards, services.userErasure];
      await Promise.all(dueWork.map(({ close }) => close()));
      await Promise.allSettled([services.rental.close(), services.telegram.close()]);
      await storage.close();
    },
  };
}

export type App = ReturnType<typeof createApp>;
