import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type RateLimit, createSharedRateLimiter } from '../platform/rate-limit.ts';
import { isSigned, readJson, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';

/** Limit of a user's reads, because each read scans the names of all keys. */
const READS: RateLimit = { most: 5, withinMs: 10 * 60_000 };

/** A record under a user's own number. */
export interface OwnRecord {
  /** First part of its key: `operation` in `operation:{501}:7Q2K`. */
  kind: string;
  /** The rest of its key without the user: `7Q2K`, or empty. */
  name: string;
  /** The parsed JSON, or the text if it isn't JSON. Sealed secrets stay sealed. */
  value: unknown;
}

/** Reader of all records under a user's own number, whichever module wrote them. */
export interface OwnRecords {
  /**
   * Returns the records in key order, or in `waitMs` how many milliseconds the user must wait to read again. Leaves out
   * indexes, the chat's own hash, and signed records that fail verification.
   *
   * @example
   * const read = await ownRecords.read(501); // [{ kind: 'addresses', name: '', value: { addresses: [] } }]
   */
  read(user: number): Promise<{ records: OwnRecord[] } | { waitMs: number }>;
}

export function createOwnRecords(deps: {
  storage: Pick<Storage, 'get' | 'add' | 'replace' | 'tagged'>;
  records: Pick<SignedRecords, 'get'>;
  now: () => number;
}): OwnRecords {
  const { storage, records } = deps;
  const budget = createSharedRateLimiter(deps);

  async function readValue(key: string): Promise<unknown> {
    const text = await storage.get(key);
    const content = text !== undefined && isSigned(text) ? (await records.get(key))?.content : text;
    return readJson(z.unknown(), content) ?? content;
  }

  return {
    async read(user) {
      const tag = `{${user}}`;
      const waitMs = await budget.take(`own-records:${tag}`, randomUUID(), READS);
      if (waitMs > 0) return { waitMs };
      const keys = (await storage.tagged(String(user))).toSorted();
      const values = await Promise.all(keys.map(readValue));
      const found = keys.map((key, at) => {
        const [kind = '', ...name] = key.replace(tag, '').split(':').filter(Boolean);
        return { kind, name: name.join(':'), value: values[at] };
      });
      return { records: found.filter(({ value }) => value !== undefined) };
    },
  };
}
