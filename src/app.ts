import type { Server } from 'node:http';
import { botDescription, startBot } from './bot/start.ts';
import type { Config } from './config.ts';
import type { Log } from './platform/log.ts';
import { powerLossRisk } from './platform/redis-connection.ts';
import { createServices } from './services.ts';
import type { Surroundings } from './surroundings.ts';
import { describeBot } from './telegram/setup.ts';
import { weakSettings } from './weak-settings.ts';
import { createHttpServer } from './web/http-server.ts';

const UNKNOWN = { why: 'the storage does not answer' };

/** The running whole: `fetch` answers HTTP, `start` begins to take updates and to do what was left undone. */
export interface App {
  readonly log: Log;
  fetch(request: Request): Promise<Response>;
  /** A server that answers by `fetch`, to be told where to listen. */
  createServer(): Server;
  /** Resolves once Telegram knows where updates go; rejects where it refuses the bot. */
  start(): Promise<void>;
  /** Finishes what is under way. */
  stop(): Promise<void>;
}

/** The life of the app: what is started, served and stopped, in order. What it consists of is in `services.ts`. */
export function createApp(config: Config, surroundings: Surroundings = {}): App {
  const services = createServices(config, surroundings);
  const { log, jobs, storage, bot, receiving, incoming, texts, features } = services;
  const { polling, webhook } = incoming;
  const stopping = new AbortController();
  const { signal } = stopping;
  let started = false;
  let describing: Promise<void> | undefined;
  const web = incoming.createWebServer(() => started, signal);

  return {
    log,
    fetch: web.fetch,
    createServer: () => createHttpServer(web.fetch),
    async start() {
      if (!config.redisUrl)
        log.warn('REDIS_URL is not set: everything is in memory and gone when this process ends');
      for (const weakness of weakSettings(config)) log.warn(weakness);
      await storage.check();
      await services.continuity.establish();
      await jobs.start();
      services.continuity.start();
      const { why } = (await services.paymentsGate.closed().catch(() => UNKNOWN)) ?? {};
      if (why) log.error({ reason: why }, 'no money is taken');
      const risk = config.redisUrl && powerLossRisk(await storage.fsyncPolicy().catch(() => 'unknown'));
      if (risk) log.warn(risk);
      await startBot(bot, { webhook, log, signal });
      polling?.start();
      started = true;
      log.info({ mode: webhook ? 'webhook' : 'polling' }, 'the bot takes updates');
      // Nobody waits for these.
      describing = describeBot(bot.api, botDescription(texts, features), { log, signal });
    },
    async stop() {
      stopping.abort();
      await Promise.all([polling?.stop(), describing]);
      await receiving.idle();
      await services.sendQueue.close();
      await services.broadcasts.close();
      await services.notices.close();
      services.continuity.stop();
      await jobs.stop();
      await services.settledCounts.close();
      await Promise.allSettled([services.rental.close(), services.telegram.close()]);
      await storage.close();
    },
  };
}
