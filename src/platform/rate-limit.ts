import { z } from 'zod';
import { readJson, retryOnConflict } from './records.ts';
import type { Storage } from './storage.ts';

const takenSchema = z.array(z.tuple([z.number(), z.string()]));
type Taken = z.infer<typeof takenSchema>;

/** Limit of `most` uses within any period of `withinMs`. */
export interface RateLimit {
  most: number;
  withinMs: number;
}

/**
 * Rate limiter that all replicas share, for limits of the service and of users. Concurrent callers never exceed a
 * limit.
 */
export interface SharedRateLimiter {
  /**
   * Takes a place for `member`. A member that already has a place takes no other one, and can give its place back.
   * Returns 0, or how many milliseconds later a place will be free.
   *
   * @example
   * const waitMs = await budget.take('guests', randomUUID(), { most: 12, withinMs: 60_000 });
   */
  take(name: string, member: string, allowance: RateLimit): Promise<number>;
  giveBack(name: string, member: string): Promise<void>;
  /** Returns the members with places, including expired places. */
  taken(name: string): Promise<string[]>;
}

export function createSharedRateLimiter({
  storage,
  now,
}: {
  storage: Pick<Storage, 'get' | 'add' | 'replace'>;
  now: () => number;
}): SharedRateLimiter {
  const keyOf = (name: string) => `budget:${name}`;

  /**
   * Applies `to` to the stored places, again after a concurrent write. Returns its `waitMs` once the places are
   * written.
   */
  function change(
    name: string,
    to: (taken: Taken) => { taken: Taken; waitMs: number; ttlMs: number },
  ): Promise<number> {
    return retryOnConflict(async () => {
      const text = await storage.get(keyOf(name));
      const { taken, waitMs, ttlMs } = to(readJson(takenSchema, text) ?? []);
      const content = JSON.stringify(taken);
      if (content === text) return waitMs;
      const isWritten =
        text === undefined
          ? await storage.add(keyOf(name), content, { ttlMs })
          : await storage.replace(keyOf(name), text, content, { ttlMs });
      return isWritten ? waitMs : undefined;
    });
  }

  return {
    take: (name, member, { most, withinMs }) =>
      change(name, (before) => {
        const present = before.filter(([at]) => now() < at + withinMs);
        const [oldest] = present;
        if (present.some(([, one]) => one === member)) return { taken: present, waitMs: 0, ttlMs: withinMs };
        if (oldest !== undefined && present.length >= most)
          return { taken: present, waitMs: oldest[0] + withinMs - now(), ttlMs: withinMs };
        return { taken: [...present, [now(), member]], waitMs: 0, ttlMs: withinMs };
      }),
    async giveBack(name, member) {
      if ((await storage.get(keyOf(name))) === undefined) return;
      await change(name, (before) => ({
        taken: before.filter(([, one]) => one !== member),
        waitMs: 0,
        ttlMs: DAY_MS,
      }));
    },
    taken: async (name) =>
      (readJson(takenSchema, await storage.get(keyOf(name))) ?? []).map(([, member]) => member),
  };
}

/** TTL after a place is given back, in milliseconds. No limit has a longer period. */
const DAY_MS = 24 * 3600_000;
