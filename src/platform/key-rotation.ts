import type { SignedRecords } from './records.ts';
import type { Storage } from './storage.ts';

/** Kind of records to sign and seal with the newest secret. */
export interface KeyRotation {
  /** Key prefix of the records. */
  prefix: string;
  /**
   * Returns a record's content with its secrets sealed by the newest key. Returns the content unchanged if it has none
   * or they don't open.
   */
  reseal?(content: string, key: string): string;
}

/** Numbers of records: renewed now, already under the newest secret, and verified by no listed secret. */
interface Renewed {
  renewed: number;
  newest: number;
  unverified: number;
}

/**
 * Signs every record with the newest secret, so that older ones can be removed from `SECRET_KEY`. Safe to run beside
 * the app, which writes with the newest secret anyway, and to repeat.
 */
export async function rotateRecords(
  { storage, records }: { storage: Pick<Storage, 'keys'>; records: SignedRecords },
  keyRotations: readonly KeyRotation[],
): Promise<Renewed> {
  const count: Renewed = { renewed: 0, newest: 0, unverified: 0 };
  for (const { prefix, reseal = (content: string) => content } of keyRotations) {
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
