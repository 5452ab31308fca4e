import type { Api } from 'grammy';
import type { Update } from 'grammy/types';
import type { AppOptions } from './app-options.ts';
import type { Config } from './config.ts';
import type { Seal } from './platform/encryption.ts';
import { deriveKeys } from './platform/encryption.ts';
import type { Jobs } from './platform/jobs.ts';
import type { Log } from './platform/log.ts';
import type { Storage } from './platform/storage.ts';
import type { Receive } from './telegram/update-queue.ts';
import { createStoredUpdates } from './telegram/update-queue.ts';
import { createPolling, createWebhookUpdates } from './telegram/update-sources.ts';
import type { InvoicePage } from './web/invoice-page/invoice-page.ts';
import { createWeb } from './web/server.ts';
import type { RentalWebhook } from './web/webhooks.ts';

/** Interval of searches for stored updates of dead processes, in milliseconds. */
const STORED_UPDATES_POLL_MS = 3_000;
const UPDATES_PATH = '/updates/telegram';
/** Path of service webhooks. Each hook has its own path below this one. */
export const EVENTS_PATH = '/events';

export interface IncomingDeps {
  config: Config;
  appOptions: AppOptions;
  secrets: readonly Uint8Array[];
  storage: Storage;
  jobs: Jobs;
  seal: Seal;
  bot: { api: Api };
  /** Returns epoch milliseconds by the clock that all replicas share. */
  now: () => number;
  log: Log;
  /** `receive` handles an update. `drop` gets updates that are discarded. */
  updates: { receive: Receive; drop: (update: Update) => void };
  events: Pick<RentalWebhook, 'find' | 'receive' | 'refused'>;
  invoicePage: Pick<InvoicePage, 'texts' | 'find' | 'check' | 'recordOpened' | 'pollSoon'>;
}

/** Creates the ingress: webhooks for updates and events at a public URL, otherwise polling of updates only. */
export function createIngress(deps: IncomingDeps) {
  const { config, appOptions, secrets, storage, jobs, seal, bot, log, updates, events } = deps;
  const { publicUrl, signatureHeader } = config;
  const { now } = deps;
  const { pace = {} } = appOptions;
  const updateOptions = {
    receive: updates.receive,
    onDropped: updates.drop,
    storedUpdates: createStoredUpdates({ storage, seal, log, now }),
    log,
    slowMs: pace.slowMs,
  };
  const webhookUpdates = createWebhookUpdates(updateOptions);
  if (publicUrl) jobs.every('stored-updates', STORED_UPDATES_POLL_MS, webhookUpdates.handleStored);
  const secretTokens = deriveKeys(secrets, 'telegram-webhook').map((key) => key.toString('base64url'));
  const [secretToken = ''] = secretTokens;

  return {
    polling: publicUrl ? undefined : createPolling({ ...updateOptions, api: bot.api }),
    /** Webhook for Telegram's updates. */
    webhook: publicUrl ? { url: `${publicUrl}${UPDATES_PATH}`, secretToken } : undefined,
    /** Creates the HTTP handler. `reached` returns whether Telegram was reached. `signal` ends streams. */
    createWebServer: (reached: () => boolean, signal: AbortSignal) =>
      createWeb({
        log,
        ...(publicUrl && {
          updates: { path: UPDATES_PATH, secretTokens, receive: webhookUpdates.receive },
          events: { ...events, path: `${EVENTS_PATH}/:hook` as const, signatureHeader, now },
          invoicePage: { ...deps.invoicePage, origin: new URL(publicUrl).origin, now, signal },
        }),
        ready: async () => {
          await storage.ping();
          return reached() || 'Telegram has not been reached yet';
        },
      }),
  };
}
