import { z } from 'zod';
import { LANGUAGES, type Language } from '../i18n/texts.ts';
import { DAY_MS } from '../platform/clock.ts';
import { defineRecord, readJson, retryOnConflict, type StoredData } from '../platform/records.ts';
import type { Change } from '../platform/storage.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { changesOfUser, MAX_USER_NUMBER, USER_NUMBERS } from './user-cells.ts';

/** Why a user gets no messages: they blocked the bot, deleted their account, or are unreachable for another reason. */
const UNREACHABLE_REASONS = ['blocked', 'deactivated', 'unreachable'] as const;
type UnreachableReason = (typeof UNREACHABLE_REASONS)[number];

const userSchema = z.object({
  /** Days of the first and last update, in days since the epoch (UTC). */
  firstDay: z.number(),
  lastDay: z.number(),
  language: z.enum(LANGUAGES),
  /** Place of the user's cell, by which users are counted. */
  number: z.number().int().min(1).max(MAX_USER_NUMBER).optional().catch(undefined),
  /** Name at Telegram without the `@`, for the search of admins. */
  username: z
    .string()
    .regex(/^\w{4,32}$/)
    .optional()
    .catch(undefined),
  /** Removed when the user writes again. */
  unreachable: z.enum(UNREACHABLE_REASONS).optional(),
  isBanned: z.boolean().optional(),
  hasOptedOut: z.boolean().optional(),
  /** Commands that Telegram lists in the user's chat, if they differ from the default. */
  listedCommands: z.string().optional(),
});

type StoredUser = z.infer<typeof userSchema>;

/** User who has written to the bot. `user`: Telegram id. */
export type BotUser = StoredUser & { user: number };

export const USER = defineRecord({
  keys: 'user:{user}',
  content:
    "First and last day, language, @name, why the user can't be reached, whether the user is banned or wants no broadcasts, and which command list their chat shows",
  schema: userSchema,
  ttlMs: 'none',
  expiry: 'none: needed as long as the bot exists',
  signed: false,
  retained: { own: 'kept-others' },
});

/** Index of all users. Its scores are the ids. */
export const ALL_USERS = {
  keys: 'users',
  content: 'Ids of all users, in order',
  expiry: 'none: a single key',
} as const satisfies StoredData;

/** Maximum number of expired entries removed per erased user. */
const MAX_REMOVED = 100;
/** How long operations and invoices of an erased user can still be found, in milliseconds: as long as they are stored. */
const ERASED_TTL_MS = 90 * DAY_MS;

/** Index of the erased users. Its scores are the times of erasure. */
export const ERASED_USERS = {
  keys: 'erased-users',
  content: 'Ids of erased users, by time, so that admins find the operations that stay',
  expiry: '90 days',
  retained: { elsewhere: 'kept-money' },
} as const satisfies StoredData;

/** All users who have written to the bot, from their first update on. */
export type Users = ReturnType<typeof createUsers>;

/** Returns the day of `at` (epoch milliseconds), in days since the epoch (UTC). */
export const dayAt = (at: number): number => Math.floor(at / DAY_MS);

export function createUsers(deps: Pick<AccountsDeps, 'storage' | 'records' | 'now'>) {
  const { storage, records, now } = deps;
  const stored = records.store(USER);

  function readAhead(user: number): () => Promise<BotUser | undefined> {
    const reading = stored.readAhead({ user });
    return async () => {
      const record = await reading();
      return record && { ...record.value, user };
    };
  }

  const find = (user: number) => readAhead(user)();

  /** Changes a known user. Returns whether the user is known. */
  async function change(user: number, changes: Partial<StoredUser>): Promise<boolean> {
    const changed = await stored.update(
      { user },
      (before) => before && { ...before, ...changes },
      (_, after) => changesOfUser(after.number, after),
    );
    return changed !== undefined;
  }

  /** Records activity of the user. Writes only if `known` is outdated, usually once a day. */
  async function recordActivity(
    user: number,
    language: Language,
    known: BotUser | undefined,
    username?: string,
  ): Promise<void> {
    const today = dayAt(now());
    const isKnown = known?.language === language && known.username === username && known.number !== undefined;
    if (isKnown && known.lastDay === today && !known.unreachable) return;
    // Index first: an indexed user without a record is skipped, but a record without an index entry would never be
    // found.
    const [number] = await Promise.all([
      known?.number ?? storage.nextNumber(USER_NUMBERS.keys),
      known === undefined && storage.index.put(ALL_USERS.keys, String(user), user),
    ]);
    await stored.update(
      { user },
      (before) => ({
        ...before,
        firstDay: before?.firstDay ?? today,
        lastDay: Math.max(today, before?.lastDay ?? today),
        language,
        number: before?.number ?? number,
        username,
        unreachable: undefined,
      }),
      (_, after) => changesOfUser(after.number, after),
    );
  }

  /** Returns up to `limit` ids of users above `after`, in order. `last` is `undefined` on the last page. */
  async function idsAfter(
    after: number,
    limit: number,
  ): Promise<{ ids: number[]; last: number | undefined }> {
    const ids = (await storage.index.above(ALL_USERS.keys, after, limit)).map(Number);
    return { ids, last: ids.length < limit ? undefined : ids.at(-1) };
  }

  return {
    readAhead,
    find,
    recordActivity,
    /** Records activity of a user who isn't known or has no number yet. */
    async recordUncounted(user: number, language: Language): Promise<void> {
      const known = await find(user);
      if (known?.number === undefined)
        await recordActivity(user, known?.language ?? language, known, known?.username);
    },
    async setLanguage(user: number, language: Language) {
      await change(user, { language });
    },
    /** Records that the user gets no messages until they write again. */
    async setUnreachable(user: number, reason: UnreachableReason) {
      await change(user, { unreachable: reason });
    },
    /** Bans the user or lifts the ban. Returns whether the user is known. */
    setBanned: (user: number, isBanned: boolean): Promise<boolean> =>
      change(user, { isBanned: isBanned || undefined }),
    /** Opts the user out of broadcasts or in again. Returns whether the user is known. */
    setBroadcastOptOut: (user: number, hasOptedOut: boolean): Promise<boolean> =>
      change(user, { hasOptedOut: hasOptedOut || undefined }),
    /**
     * Records the commands that Telegram lists in the user's chat; `undefined` for the default. Returns whether the user
     * is known.
     */
    setListedCommands: (user: number, listedCommands: string | undefined): Promise<boolean> =>
      change(user, { listedCommands }),
    /** Writes the number of a known user, the user's cell and further changes, even if the record stays the same. */
    async setNumber(user: number, number: number, changes: readonly Change[]): Promise<void> {
      await stored.update(
        { user },
        (before) => before && { ...before, number },
        (_, after) => [...changesOfUser(number, after), ...changes],
      );
    },
    idsAfter,
    /**
     * Yields the ids of users erased in the last 90 days, except those who have returned since, latest first: at most `limit`
     * in pages of at most `size`.
     */
    async *erased({ limit, size }: { limit: number; size: number }): AsyncGenerator<number[]> {
      const all = (await storage.index.last(ERASED_USERS.keys, limit)).map(Number);
      for (let from = 0; from < all.length; from += size) {
        const ids = all.slice(from, from + size);
        const known = await Promise.all(ids.map(find));
        yield ids.filter((_, at) => known[at] === undefined);
      }
    },
    /** Returns up to `limit` users with ids above `after`, by id. `last` is `undefined` on the last page. */
    async page(after: number, limit: number): Promise<{ users: BotUser[]; last: number | undefined }> {
      const { ids, last } = await idsAfter(after, limit);
      const found = await Promise.all(ids.map(find));
      return { users: found.filter((user) => user !== undefined), last };
    },
    /** Erases the user. A banned user stays banned. */
    async erase(user: number) {
      const key = stored.keyOf({ user });
      await retryOnConflict(async () => {
        const text = await storage.get(key);
        const erased = readJson(userSchema, text);
        if (text === undefined || erased?.isBanned) return true;
        await storage.delete(key, text, changesOfUser(erased?.number, undefined));
        // Reads again, because the user may have been banned since.
        return undefined;
      });
      if ((await storage.get(key)) !== undefined) return;
      const { index } = storage;
      await index.put(ERASED_USERS.keys, String(user), now(), { ttlMs: ERASED_TTL_MS });
      await index.remove(ALL_USERS.keys, String(user));
      const old = await index.upTo(ERASED_USERS.keys, now() - ERASED_TTL_MS, MAX_REMOVED);
      if (old.length > 0) await index.remove(ERASED_USERS.keys, ...old);
    },
  };
}
