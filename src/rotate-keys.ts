import { ConfigError, readConfig } from './config.ts';
import { explainRedis } from './health/redis-problem.ts';
import { createTexts } from './i18n/texts.ts';
import { createLog } from './platform/log.ts';
import { createRedisStorage } from './platform/redis-storage.ts';
import { ignoreFailedOutput } from './shutdown.ts';
import { rotateStoredData } from './stored-data.ts';

/** Option that names the id of a key that is lost with the data under it. */
const ACCEPTED_LOSS = /^--accept-loss=(.+)$/;

/** Signs and seals all stored records with the newest `SECRET_KEY`. Older keys can then be removed. */
async function rotateKeys(): Promise<void> {
  const { redisUrl, secretKeys: secrets } = readConfig();
  if (redisUrl === undefined) throw new ConfigError(['REDIS_URL: missing, expected the Redis of the bot']);
  // Records that fail verification are counted and reported at the end.
  const log = createLog({ level: 'silent' });
  const storage = createRedisStorage({ url: redisUrl, log });
  const [acceptedLoss] = process.argv.flatMap((option) => ACCEPTED_LOSS.exec(option)?.[1] ?? []);
  try {
    const { renewed, newest, unverified } = await rotateStoredData({ storage, secrets, acceptedLoss, log });
    process.stdout.write(
      `Records renewed: ${renewed}, already under the newest key: ${newest}, of no listed key: ${unverified}.\n`,
    );
  } finally {
    await storage.close();
  }
}

ignoreFailedOutput();
rotateKeys().catch((error) => {
  const { message } = explainRedis(createTexts().in('en'), error);
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
});
