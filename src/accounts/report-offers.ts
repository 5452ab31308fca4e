import { randomUUID } from 'node:crypto';
import type { Storage } from '../storage/storage.ts';
import type { Links } from './links.ts';

/** So long that to be asked once more is no nuisance. */
const KEPT_MS = 365 * 24 * 3600_000;
const KNOWN = 10_000;

/** Who was asked whether the service should report to the bot: once, after their first purchase. */
export interface ReportOffers {
  /** Answers whether this user, who holds the account, is to be asked now; asked again it answers no. */
  take(user: number, account: number): Promise<boolean>;
  /** They could not be asked: next time. */
  giveBack(user: number, account: number): Promise<void>;
  /** They are met anew; `keys`: all of theirs. */
  forget(user: number, keys: readonly string[]): Promise<void>;
}

export function createReportOffers({
  storage,
  links,
}: {
  storage: Pick<Storage, 'add' | 'delete'>;
  links: Pick<Links, 'find'>;
}): ReportOffers {
  const beginOf = (user: number) => `reports-offered:{${user}}:`;
  const keyOf = (user: number, account: number) => `${beginOf(user)}${account}`;
  /** Asked before, as far as this process knows: each of their purchases would ask the storage again. */
  const asked = new Set<string>();
  return {
    async take(user, account) {
      const key = keyOf(user, account);
      if (asked.has(key)) return false;
      if (asked.size >= KNOWN) asked.clear();
      asked.add(key);
      // They may have unlinked it, or be forgotten, since they bought.
      if ((await links.find(user))?.account !== account) {
        asked.delete(key);
        return false;
      }
      // A value of its own: to add the same again would be answered as if it had been new.
      return storage.add(key, randomUUID(), { ttlMs: KEPT_MS });
    },
    async giveBack(user, account) {
      asked.delete(keyOf(user, account));
      await storage.delete(keyOf(user, account));
    },
    async forget(user, keys) {
      for (const key of keys.filter((one) => one.startsWith(beginOf(user)))) {
        asked.delete(key);
        await storage.delete(key);
      }
    },
  };
}
