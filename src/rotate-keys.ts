import { ConfigError, readConfig } from './config.ts';
import { createSeal, deriveKeys } from './platform/encryption.ts';
import { createLog } from './platform/log.ts';
import { createSignedRecords, rotateRecords } from './platform/records.ts';
import { createRedisStorage } from './platform/redis-storage.ts';
import { ignoreFailedOutput } from './shutdown.ts';
import { keyRotations, recordFormats } from './stored-data.ts';

/** Signs and seals all stored records with the newest `SECRET_KEY`. Older keys can then be removed. */
async function rotateKeys(): Promise<void> {
  const { redisUrl, secretKeys } = readConfig();
  if (redisUrl === undefined) throw new ConfigError(['REDIS_URL: missing, expected the Redis of the bot']);
  // Records that fail verification are counted and reported at the end.
  const log = createLog({ level: 'silent' });
  const storage = createRedisStorage({ url: redisUrl, log });
  const keys = deriveKeys(secretKeys, 'records');
  const records = createSignedRecords({ storage, keys, formats: recordFormats(), log });
  const seal = createSeal(deriveKeys(secretKeys, 'seal'));
  try {
    const { renewed, newest, unverified } = await rotateRecords({ storage, records }, keyRotations(seal));
    process.stdout.write(
      `${renewed} records renewed, ${newest} were under the newest key already, ${unverified} are of no listed key.\n`,
    );
  } finally {
    await storage.close();
  }
}

ignoreFailedOutput();
rotateKeys().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
