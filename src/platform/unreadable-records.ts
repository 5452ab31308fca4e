import { DAY_MS } from './clock.ts';
import { countKinds, prefixOf, type SignedRecords, type StoredData } from './records.ts';
import type { Storage } from './storage.ts';

export const UNREADABLE_RECORDS = {
  keys: 'unreadable-records',
  content: "Keys of records that couldn't be read",
  expiry: '1 day; those that are readable or deleted are removed each minute',
  retained: { elsewhere: 'kept-money' },
} as const satisfies StoredData;

/**
 * Time for which a record stays in the list, in milliseconds. Some can never be read again, for example those of a lost
 * key, and they aren't a problem for ever.
 */
const LISTED_MS = DAY_MS;
const LIFETIME = { ttlMs: LISTED_MS };
/** Score of a record whose user may have to be notified. Others have the time of the notification. */
const NEW = 0;
/** Maximum number of records that are read at once. */
const MAX_READ = 200;

export type UnreadableRecords = ReturnType<typeof createUnreadableRecords>;

/**
 * List of records that couldn't be read within the last day, shared by all replicas: written by another version, under
 * another secret, or changed from outside. `readers`: by key prefix, functions that return `undefined` if a record can't
 * be read. Other records are read by their definitions.
 */
export function createUnreadableRecords(deps: {
  storage: Pick<Storage, 'get' | 'index' | 'now'>;
  records: Pick<SignedRecords, 'canRead' | 'isNewer'>;
  readers: Readonly<Record<string, (key: string) => Promise<unknown>>>;
}) {
  const { storage, records, readers } = deps;
  const { index } = storage;
  /** Found, but not stored yet. */
  const pending = new Set<string>();

  async function flush(): Promise<void> {
    for (const key of pending) {
      await index.put(UNREADABLE_RECORDS.keys, key, NEW, LIFETIME);
      pending.delete(key);
    }
  }

  /** Reads a record. A reader also reports it if it can't be read. */
  async function isUnreadable(key: string): Promise<boolean> {
    const read = readers[prefixOf({ keys: key })];
    if (read === undefined) return (await records.canRead(key)) === false;
    return (await read(key)) === undefined && (await storage.get(key)) !== undefined;
  }

  async function stillUnreadable(keys: readonly string[]): Promise<string[]> {
    const found = await Promise.all(keys.map(isUnreadable));
    return keys.filter((_, at) => found[at]);
  }

  return {
    isUnreadable,
    /** Adds a record. If it can't be stored now, the next call or {@link review} does so. */
    add(key: string): void {
      pending.add(key);
      flush().catch(() => undefined);
    },
    flush,
    /**
     * Removes records that can be read again, are gone or were listed for a day. Passes new ones to `notifyUsers`, again
     * after a failure.
     */
    async review(notifyUsers: (keys: readonly string[]) => Promise<unknown>): Promise<void> {
      await flush();
      const added = await index.upTo(UNREADABLE_RECORDS.keys, NEW, MAX_READ);
      const known = await index.above(UNREADABLE_RECORDS.keys, NEW, MAX_READ);
      const recent = await index.above(UNREADABLE_RECORDS.keys, storage.now() - LISTED_MS, MAX_READ);
      const present = new Set(await stillUnreadable([...added, ...recent]));
      await index.remove(UNREADABLE_RECORDS.keys, ...[...added, ...known].filter((key) => !present.has(key)));
      const keys = added.filter((key) => present.has(key));
      if (keys.length === 0) return;
      await notifyUsers(keys);
      for (const key of keys) await index.put(UNREADABLE_RECORDS.keys, key, storage.now(), LIFETIME);
    },
    /** Counts the records, of at most 200, by kind (`link ×1, operation ×3`). `isNewer`: a newer release wrote one. */
    async summary(): Promise<{ count: number; kinds: string; isNewer: boolean }> {
      const keys = (await stillUnreadable(await index.last(UNREADABLE_RECORDS.keys, MAX_READ))).toSorted();
      const newer = await Promise.all(keys.map((key) => records.isNewer(key)));
      const counts = Object.entries(countKinds(keys)).map(([kind, count]) => `${kind} ×${count}`);
      return { count: keys.length, kinds: counts.join(', '), isNewer: newer.includes(true) };
    },
  };
}
