import { ConfigError, readConfig } from './config.ts';
import { createCanary } from './platform/canary.ts';
import { createSeal, deriveKeys } from './platform/encryption.ts';
import { createLog } from './platform/log.ts';
import { createSignedRecords, rotateRecords } from './platform/records.ts';
import { createRedisStorage } from './platform/redis-storage.ts';
import { ignoreFailedOutput } from './shutdown.ts';
import { DATA_FORMAT, keyRotations, recordFormats } from './stored-data.ts';

/** Option that names the id of a key that is lost with the data under it. */
const ACCEPTED_LOSS = /^--accept-loss=(.+)$/;

/**
 * Signs and seals all stored records with the newest `SECRET_KEY`. Older keys can then be removed. With an accepted loss,
 * the bot starts again although the former key isn't listed, and treats the records under it as missing. They stay in the
 * storage.
 */
async function rotateKeys(): Promise<void> {
  const { redisUrl, secretKeys } = readConfig();
  if (redisUrl === undefined) throw new ConfigError(['REDIS_URL: missing, expected the Redis of the bot']);
  // Records that fail verification are counted and reported at the end.
  const log = createLog({ level: 'silent' });
  const storage = createRedisStorage({ url: redisUrl, log });
  const keys = deriveKeys(secretKeys, 'records');
  const records = createSignedRecords({ storage, keys, formats: recordFormats(), log });
  const seal = createSeal(deriveKeys(secretKeys, 'seal'));
  const canary = createCanary({ storage, seal });
  const [acceptedLoss] = process.argv.flatMap((option) => ACCEPTED_LOSS.exec(option)?.[1] ?? []);
  try {
    await canary.renewAfter(acceptedLoss, async () => {
      const { renewed, newest, unverified } = await rotateRecords({ storage, records }, keyRotations(seal));
      process.stdout.write(
        `${renewed} records renewed, ${newest} were under the newest key already, ${unverified} are of no listed key.\n`,
      );
      // Users are then notified of the records that are lost.
      if (acceptedLoss !== undefined) await storage.delete(DATA_FORMAT.keys);
      return renewed + newest > 0 || unverified === 0;
    });
  } finally {
    await storage.close();
  }
}

ignoreFailedOutput();
rotateKeys().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
