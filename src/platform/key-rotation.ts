import type { SignedRecords } from './records.ts';
import type { Storage } from './storage.ts';

/** Records of one room that the newest secret is to take over. */
export interface Renewal {
  /** What their keys begin with. */
  prefix: string;
  /** Seals anew what is sealed in a record's content; answers it as it is where nothing is, or nothing can be opened. */
  reseal?(content: string, key: string): string;
}

/** How many records are under the newest secret now, how many were before, and how many no listed secret verifies. */
interface Renewed {
  renewed: number;
  newest: number;
  unverified: number;
}

/**
 * Brings every record under the newest secret, so that the older ones can be dropped from `SECRET_KEY`. May run beside the
 * app and be repeated: what changes meanwhile is written by the newest secret anyway.
 */
export async function renewRecords(
  { storage, records }: { storage: Pick<Storage, 'keys'>; records: SignedRecords },
  renewals: readonly Renewal[],
): Promise<Renewed> {
  const count: Renewed = { renewed: 0, newest: 0, unverified: 0 };
  for (const { prefix, reseal = (content: string) => content } of renewals) {
    for (const key of await storage.keys(prefix)) {
      const record = await records.get(key);
      if (record === undefined) {
        if (await records.has(key)) count.unverified += 1;
        continue;
      }
      const content = reseal(record.content, key);
      const isNewest = content === record.content && records.isNewest(key, record);
      if (!isNewest) await records.replace(key, record, content, { ttlMs: 'kept' });
      count[isNewest ? 'newest' : 'renewed'] += 1;
    }
  }
  return count;
}
