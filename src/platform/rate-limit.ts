import { z } from 'zod';
import { DAY_MS } from './clock.ts';
import { keyOf, readJson, retryOnConflict, type StoredData } from './records.ts';
import type { Storage } from './storage.ts';

/** Times and members of the uses, oldest first. */
const usesSchema = z.array(z.tuple([z.number(), z.string()]));
type Uses = z.infer<typeof usesSchema>;

export const RATE_LIMIT = {
  keys: 'rate-limit:name',
  content: "Uses of a rate limit that all replicas share. The name of a user's limit contains the user's id",
  expiry: 'as long as the limit counts',
  retained: { own: 'kept-limits', elsewhere: 'kept-limits' },
} as const satisfies StoredData;

/** TTL after a use is released, in milliseconds. No limit has a longer period. */
const RELEASED_TTL_MS = DAY_MS;

export interface RateLimit {
  max: number;
  withinMs: number;
}

/**
 * Rate limiter that all replicas share, for limits of the service and of users. Concurrent callers never exceed a
 * limit.
 */
export type SharedRateLimiter = ReturnType<typeof createSharedRateLimiter>;

export function createSharedRateLimiter({
  storage,
  now,
}: {
  storage: Pick<Storage, 'get' | 'add' | 'replace'>;
  now: () => number;
}) {
  const read = (name: string) => storage.get(keyOf(RATE_LIMIT.keys, { name }));

  /** Applies `change` to the stored uses, again after a concurrent write. Returns its `waitMs` once they are written. */
  function update(
    name: string,
    ttlMs: number,
    change: (uses: Uses) => { uses: Uses; waitMs: number },
  ): Promise<number> {
    const key = keyOf(RATE_LIMIT.keys, { name });
    return retryOnConflict(async () => {
      const text = await read(name);
      const { uses, waitMs } = change(readJson(usesSchema, text) ?? []);
      const content = JSON.stringify(uses);
      if (content === text) return waitMs;
      const isWritten =
        text === undefined
          ? await storage.add(key, content, { ttlMs })
          : await storage.replace(key, text, content, { ttlMs });
      return isWritten ? waitMs : undefined;
    });
  }

  return {
    /**
     * Counts a use of the limit `name` by `member`. A member that already counts isn't counted twice. Returns 0, or how
     * many milliseconds later the use will be possible.
     *
     * @example
     * const waitMs = await rateLimiter.acquire('guests', randomUUID(), { max: 12, withinMs: 60_000 });
     */
    acquire: (name: string, member: string, { max, withinMs }: RateLimit): Promise<number> =>
      update(name, withinMs, (before) => {
        // Uses from before the clock was set back count as made just now, from here on.
        const uses = before
          .map(([at, user]): Uses[number] => [Math.min(at, now()), user])
          .filter(([at]) => now() < at + withinMs);
        const [oldest] = uses;
        if (uses.some(([, user]) => user === member)) return { uses, waitMs: 0 };
        if (oldest !== undefined && uses.length >= max) return { uses, waitMs: oldest[0] + withinMs - now() };
        return { uses: [...uses, [now(), member]], waitMs: 0 };
      }),
    /** Returns how many milliseconds later a further use will be possible, or 0. Counts nothing. */
    async waitMs(name: string, { max, withinMs }: RateLimit): Promise<number> {
      const uses = (readJson(usesSchema, await read(name)) ?? []).filter(([at]) => now() < at + withinMs);
      const [oldest] = uses;
      return oldest === undefined || uses.length < max ? 0 : Math.min(withinMs, oldest[0] + withinMs - now());
    },
    async release(name: string, member: string) {
      if ((await read(name)) === undefined) return;
      await update(name, RELEASED_TTL_MS, (uses) => ({
        uses: uses.filter(([, user]) => user !== member),
        waitMs: 0,
      }));
    },
    /** Returns the members whose uses are stored, including expired ones. */
    members: async (name: string): Promise<string[]> =>
      (readJson(usesSchema, await read(name)) ?? []).map(([, member]) => member),
  };
}
