import { randomUUID } from 'node:crypto';
import type { Storage } from '../storage/storage.ts';

/** So long that to be asked once more is no nuisance. */
const KEPT_MS = 365 * 24 * 3600_000;
const KNOWN = 10_000;

/** Who was asked whether the service should report to the bot: once, after their first purchase. */
export interface ReportOffers {
  /** Answers whether this user is to be asked now; asked again it answers no. */
  take(user: number, account: number): Promise<boolean>;
  /** They could not be asked: next time. */
  giveBack(user: number, account: number): Promise<void>;
}

export function createReportOffers({ storage }: { storage: Storage }): ReportOffers {
  const keyOf = (user: number, account: number) => `reports-offered:${user}:${account}`;
  /** Asked before, as far as this process knows: each of their purchases would ask the storage again. */
  const asked = new Set<string>();
  return {
    async take(user, account) {
      const key = keyOf(user, account);
      if (asked.has(key)) return false;
      if (asked.size >= KNOWN) asked.clear();
      asked.add(key);
      // A value of its own: to add the same again would be answered as if it had been new.
      return storage.add(key, randomUUID(), { ttlMs: KEPT_MS });
    },
    async giveBack(user, account) {
      asked.delete(keyOf(user, account));
      await storage.delete(keyOf(user, account));
    },
  };
}
