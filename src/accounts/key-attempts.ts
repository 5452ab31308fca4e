import { z } from 'zod';
import { readJson } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';

const MAX_ATTEMPTS = 5;
const WITHIN_MS = 3600_000;

const refusedSchema = z.object({ count: z.number(), until: z.number() });

/** Counter of the API keys that the service has refused to a user. Slows down users who try keys of others. */
export interface KeyAttempts {
  /** Returns how long the user must wait before trying another key, in milliseconds; 0 if no wait is needed. */
  pause(user: number): Promise<number>;
  refused(user: number): Promise<void>;
}

/**
 * Allows five refused keys an hour, counted from the first one. A user's updates are handled one at a time, so no count
 * is lost.
 */
export function createKeyAttempts({
  storage,
  now,
}: {
  storage: Pick<Storage, 'get' | 'set'>;
  now: () => number;
}): KeyAttempts {
  const keyOf = (user: number) => `refused-keys:{${user}}`;

  async function read(user: number) {
    const refused = readJson(refusedSchema, await storage.get(keyOf(user)));
    return refused && refused.until > now() ? refused : { count: 0, until: now() + WITHIN_MS };
  }

  return {
    async pause(user) {
      const { count, until } = await read(user);
      return count < MAX_ATTEMPTS ? 0 : until - now();
    },
    async refused(user) {
      const { count, until } = await read(user);
      const record = JSON.stringify({ count: count + 1, until });
      await storage.set(keyOf(user), record, { ttlMs: until - now() });
    },
  };
}
