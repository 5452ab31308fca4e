import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { DAY_MS, isRecent } from './clock.ts';
import type { Log } from './log.ts';
import { defineRecord, kindOf, type SignedRecords, type StoredData } from './records.ts';
import { allKeys, isSingleKey, listKeyOf, type Storage, tagOf } from './storage.ts';

export const KEYS_OF_USER = {
  keys: listKeyOf('user'),
  content: "Names of a user's keys, except those that consist of their kind and the user",
  expiry: 'none: expired names are removed each day, and the last one removes the key',
  // Names of notifications can contain other users.
  retained: { own: 'kept-money', elsewhere: 'kept-others', ofAdmins: true },
} as const satisfies StoredData;

/** Marker of the last check of all keys. Signed: otherwise an attacker could prevent checks. */
export const KEY_CHECK = defineRecord({
  keys: 'key-check',
  content: 'When all keys were last checked, and which kinds of keys were known then',
  schema: z.object({ at: z.number(), kinds: z.string() }),
  ttlMs: 'none',
  expiry: 'none: otherwise all keys would be checked at each start',
  signed: true,
  anonymous: true,
});

const INTERVAL_MS = DAY_MS;
/** Pause after each page of keys, in milliseconds. Redis spends about a tenth of its time on a check. */
const PAUSE_MS = 40;
const LISTS = kindOf(KEYS_OF_USER.keys);

/**
 * Finds all keys with a user's hash tag, except their list. A key that consists of its kind and the hash tag is looked
 * up. The write of any other one adds it to a list of the user ({@link Storage.listed}).
 *
 * Until all keys were checked once by a release with the same kinds, keys are found by going through all of them.
 */
export type UserKeys = ReturnType<typeof createUserKeys>;

/** `data`: everything that the app stores. */
export function createUserKeys(deps: {
  storage: Pick<Storage, 'now' | 'continuity' | 'keysPage' | 'listed' | 'addToList'>;
  records: Pick<SignedRecords, 'store'>;
  data: readonly StoredData[];
  log: Log;
}) {
  const { storage, records, data, log } = deps;
  const lastCheck = records.store(KEY_CHECK);
  const single = data.map(({ keys }) => keys).filter(isSingleKey);
  const kinds = [...new Set(single.map(kindOf))].filter((kind) => kind !== LISTS).toSorted();
  let isStopped = false;
  const isSingle = (key: string) => isSingleKey(key) && kinds.includes(kindOf(key));

  /** Returns the time of the last check by a release with these kinds, in epoch milliseconds. */
  async function checkedAt(): Promise<number | undefined> {
    const check = await lastCheck.get({});
    return check?.kinds === kinds.join() ? check.at : undefined;
  }

  async function scanFor(tag: string): Promise<string[]> {
    const found = new Set<string>();
    for await (const key of allKeys(storage)) if (tagOf(key) === tag && kindOf(key) !== LISTS) found.add(key);
    return [...found];
  }

  /** Adds keys to the lists that lack them, and removes expired ones. Returns the keys that were missing. */
  async function listMissing(keys: readonly string[]): Promise<string[]> {
    const lists: string[] = [];
    const keysByTag = new Map<string, string[]>();
    for (const key of keys) {
      const tag = tagOf(key);
      if (tag === undefined) continue;
      if (kindOf(key) === LISTS) lists.push(tag);
      else if (!isSingle(key)) keysByTag.set(tag, [...(keysByTag.get(tag) ?? []), key]);
    }
    const missing = await Promise.all([...keysByTag].map(([tag, some]) => storage.addToList(tag, some)));
    await Promise.all(lists.map((tag) => storage.listed(tag, [])));
    return missing.flat();
  }

  /** Logs missing keys. `isExpected`: they are from an earlier release, whose keys no check has added yet. */
  function report(count: number, missingKinds: ReadonlySet<string>, isExpected: boolean): void {
    if (count === 0) return;
    const missing = { count, kind: [...missingKinds].join() };
    const advice = 'Check who can write to Redis. Users who used /forget lately should repeat it.';
    if (isExpected) log.info(missing, 'keys of users were added to their lists');
    else log.error({ ...missing, advice }, 'keys of users were missing in their lists; they were added');
  }

  return {
    /**
     * Returns the keys with the user's hash tag. Keys that are added or removed during the call may be missing or
     * included.
     *
     * @example
     * await userKeys.of(501); // ['link:{501}', 'operation:{501}:7Q2K'], and never 'link:{5010}'
     */
    async of(user: number): Promise<string[]> {
      const tag = String(user);
      const listed = (await checkedAt()) === undefined ? undefined : await storage.listed(tag, kinds);
      if (listed !== undefined) return [...new Set(listed)];
      const found = await scanFor(tag);
      await storage.addToList(
        tag,
        found.filter((key) => !isSingle(key)),
      );
      return found;
    },
    /**
     * Goes through all keys slowly and adds those that are missing to the lists of their users. Passes each page to
     * `onPage`, too. Returns whether it went through all keys of one server. `isUpgraded`: an earlier release may have
     * written keys that it didn't list.
     */
    async check(
      onPage: (keys: readonly string[]) => Promise<unknown>,
      isUpgraded: boolean,
    ): Promise<boolean> {
      const isExpected = isUpgraded || (await checkedAt()) === undefined;
      const { epoch } = await storage.continuity();
      let count = 0;
      const missingKinds = new Set<string>();
      let cursor: string | undefined;
      try {
        do {
          const page = await storage.keysPage(cursor);
          for (const key of await listMissing(page.keys)) {
            count += 1;
            missingKinds.add(kindOf(key));
          }
          await onPage(page.keys);
          cursor = page.next;
          if (cursor !== undefined) await delay(PAUSE_MS);
        } while (cursor !== undefined && !isStopped);
      } finally {
        report(count, missingKinds, isExpected);
      }
      // A cursor is only valid on the server that returned it.
      if (cursor !== undefined || (await storage.continuity()).epoch !== epoch) return false;
      await lastCheck.set({}, { at: storage.now(), kinds: kinds.join() });
      return true;
    },
    /** Ends a running check. The next one begins anew. */
    stop(): void {
      isStopped = true;
    },
    /** Returns whether the last check of all keys was long ago, or by a release with other kinds of keys. */
    async isCheckDue(): Promise<boolean> {
      const at = await checkedAt();
      return at === undefined || !isRecent(at, INTERVAL_MS, storage.now());
    },
  };
}
