import { createUsers } from '../../src/accounts/users.ts';
import { createBroadcasts } from '../../src/broadcasts/broadcasts.ts';
import { deriveKeys } from '../../src/platform/encryption.ts';
import { createLeases } from '../../src/platform/leases.ts';
import { createSignedRecords } from '../../src/platform/records.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { silentLog } from '../support/log-lines.ts';
import { TEXTS } from '../support/texts.ts';

const BATCH = 500;

/** Second process on the bot's storage that sends nothing: it records users and confirms a broadcast. */
export function createSeeding(about: { redisUrl: string; secretKey: string; admins: readonly number[] }) {
  const log = silentLog();
  const storage = createRedisStorage({ url: about.redisUrl, log });
  const keys = deriveKeys([Buffer.from(about.secretKey, 'base64')], 'records');
  const records = createSignedRecords({ storage, keys, log });
  const users = createUsers({ storage, records, now: Date.now });
  const nothing = async () => ({ kind: 'away' as const, reason: 'it sends nothing' });
  const broadcasts = createBroadcasts({
    ...{ storage, records, users, log, now: Date.now, wait: undefined, runMs: undefined },
    leases: createLeases({ storage }),
    recurringWork: { every() {} },
    links: { find: async () => undefined },
    userCounts: { countEach: async () => undefined },
    sender: { send: nothing, edit: nothing },
    copier: { copy: async () => ({ kind: 'away' }) },
    bulkLimit: { acquire: async () => 0 },
    texts: TEXTS,
    admins: new Set(about.admins),
    notifyAdmins: async () => undefined,
    notifyOfReplay: async () => undefined,
  });

  return {
    find: broadcasts.find,
    async meet(first: number, count: number): Promise<void> {
      for (let at = 0; at < count; at += BATCH) {
        const some = Array.from({ length: Math.min(BATCH, count - at) }, (_, one) => first + at + one);
        await Promise.all(
          some.map((user) => users.recordActivity(user, user % 2 === 0 ? 'en' : 'ru', undefined)),
        );
      }
    },
    /** Starts a broadcast to all users, including the sandbox users that tap. */
    async start(id: string, admin: number, message: number): Promise<void> {
      const content = {
        chat: admin,
        message,
        hash: 'h',
        buttons: [{ text: 'More', url: 'https://example.com/' }],
      };
      await broadcasts.start({ id, admin, audience: { who: 'everybody' }, contents: { default: content } });
    },
    async close(): Promise<void> {
      await storage.close();
    },
  };
}
