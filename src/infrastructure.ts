import { randomBytes } from 'node:crypto';
import type { AppOptions } from './app-options.ts';
import { type Config, secretsOf } from './config.ts';
import { createTexts } from './i18n/texts.ts';
import { createBullJobs } from './platform/bull-jobs.ts';
import { createSeal, deriveKeys } from './platform/encryption.ts';
import { createLeases } from './platform/leases.ts';
import { createLog } from './platform/log.ts';
import { createMemoryJobs } from './platform/memory-jobs.ts';
import { createMemoryStorage } from './platform/memory-storage.ts';
import { createRecentCalls } from './platform/recent-calls.ts';
import { createSignedRecords } from './platform/records.ts';
import { createRedisStorage } from './platform/redis-storage.ts';
import { createRental } from './rental-api/client.ts';
import { recordFormats } from './stored-data.ts';
import { createTelegram } from './telegram/telegram.ts';

/** Creates the infrastructure that all modules use: rental client, storage, jobs, Telegram and texts. */
export function createInfrastructure(config: Config, appOptions: AppOptions) {
  const { redisUrl, botToken: token, telegramApiRoot: apiRoot } = config;
  const { now = Date.now, pace = {}, connect } = appOptions;
  const log = appOptions.log ?? createLog({ level: config.logLevel, secrets: secretsOf(config) });
  const calls = { rental: createRecentCalls({ now }), telegram: createRecentCalls({ now }) };
  const storage =
    appOptions.storage ??
    (redisUrl ? createRedisStorage({ url: redisUrl, log }) : createMemoryStorage({ now }));
  const leases = createLeases({ storage, timings: pace.leases });
  const jobs =
    appOptions.jobs ??
    (redisUrl
      ? createBullJobs({ url: redisUrl, leases, log, timings: pace.jobs })
      : createMemoryJobs({ log }));
  const secrets = config.secretKeys.length > 0 ? config.secretKeys : [randomBytes(32)];
  return {
    ...{ log, calls, storage, jobs, secrets },
    rental: createRental({ baseUrl: config.rentalApiUrl, log, now, calls: calls.rental, connect }),
    leases,
    seal: createSeal(deriveKeys(secrets, 'seal')),
    records: createSignedRecords({
      storage,
      keys: deriveKeys(secrets, 'records'),
      formats: recordFormats(),
      log,
    }),
    telegram: createTelegram({ token, apiRoot, calls: calls.telegram, now, log, connect }),
    texts: createTexts({ directories: appOptions.locales }),
  };
}
