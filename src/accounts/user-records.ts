import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { MINUTE_MS } from '../platform/clock.ts';
import { createSharedRateLimiter, type RateLimit } from '../platform/rate-limit.ts';
import { isSigned, readJson } from '../platform/records.ts';
import type { AccountsDeps } from './accounts-deps.ts';

/** Limit of a user's reads, because each read reads everything that is stored about the user. */
const READ_LIMIT: RateLimit = { max: 5, withinMs: 10 * MINUTE_MS };

/** Record under a user's own id. */
export interface UserRecord {
  /** First part of its key: `operation` in `operation:{501}:7Q2K`. */
  kind: string;
  /** The rest of its key without the user: `7Q2K`, or empty. */
  name: string;
  /** The parsed JSON, or the text if it isn't JSON. Sealed secrets stay sealed. */
  value: unknown;
}

/** Creates the reader of all records under a user's own id, whichever module wrote them. */
export function createUserRecords(deps: Pick<AccountsDeps, 'storage' | 'userKeys' | 'records' | 'now'>) {
  const { storage, userKeys, records } = deps;
  const rateLimiter = createSharedRateLimiter(deps);

  async function readValue(key: string): Promise<unknown> {
    const text = await storage.get(key);
    const content = text !== undefined && isSigned(text) ? (await records.get(key))?.content : text;
    return readJson(z.unknown(), content) ?? content;
  }

  return {
    /**
     * Returns the records in key order, or `waitMs`, the milliseconds until the user may read again. Leaves out indexes, the
     * chat's own hash, and signed records that fail verification.
     *
     * @example
     * const read = await userRecords.read(501); // [{ kind: 'addresses', name: '', value: { addresses: [] } }]
     */
    async read(user: number): Promise<{ records: UserRecord[] } | { waitMs: number }> {
      const tag = `{${user}}`;
      const waitMs = await rateLimiter.acquire(`user-records:${tag}`, randomUUID(), READ_LIMIT);
      if (waitMs > 0) return { waitMs };
      const keys = (await userKeys.of(user)).toSorted();
      const values = await Promise.all(keys.map(readValue));
      const found = keys.map((key, at) => {
        const [kind = '', ...name] = key.replace(tag, '').split(':').filter(Boolean);
        return { kind, name: name.join(':'), value: values[at] };
      });
      return { records: found.filter(({ value }) => value !== undefined) };
    },
  };
}
