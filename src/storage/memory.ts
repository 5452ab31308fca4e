import { createMemoryChats } from './memory-chats.ts';
import type { Storage } from './storage.ts';

interface Entry {
  value: string;
  expiresAt: number;
}

/** Storage that ends with the process. `now` is the time in epoch milliseconds. */
export function createMemoryStorage({ now = Date.now }: { now?: () => number } = {}): Storage {
  const entries = new Map<string, Entry>();
  const indexes = new Map<string, { scores: Map<string, number>; expiresAt: number }>();

  function read(key: string): string | undefined {
    const entry = entries.get(key);
    if (!entry || entry.expiresAt > now()) return entry?.value;
    entries.delete(key);
    return undefined;
  }

  function write(key: string, value: string, ttlMs?: number): void {
    entries.set(key, { value, expiresAt: ttlMs ? now() + ttlMs : Number.POSITIVE_INFINITY });
  }

  function scoresOf(index: string): Map<string, number> {
    const found = indexes.get(index);
    if (found && found.expiresAt > now()) return found.scores;
    indexes.delete(index);
    return new Map();
  }

  return {
    get: async (key) => read(key),
    set: async (key, value, { ttlMs } = {}) => write(key, value, ttlMs),
    async add(key, value, { ttlMs } = {}) {
      const found = read(key);
      if (found === undefined) write(key, value, ttlMs);
      return found === undefined || found === value;
    },
    async replace(key, expected, value, { ttlMs } = {}) {
      const found = read(key);
      if (found === expected) write(key, value, ttlMs);
      return found === expected || found === value;
    },
    async delete(key) {
      entries.delete(key);
    },
    index: {
      async put(index, member, score, { ttlMs } = {}) {
        const scores = scoresOf(index).set(member, score);
        const expiresAt = ttlMs ? now() + ttlMs : indexes.get(index)?.expiresAt;
        indexes.set(index, { scores, expiresAt: expiresAt ?? Number.POSITIVE_INFINITY });
      },
      async remove(index, member) {
        indexes.get(index)?.scores.delete(member);
      },
      async upTo(index, max, limit) {
        const due = [...scoresOf(index)].filter(([, score]) => score <= max);
        due.sort(
          ([a, scoreA], [b, scoreB]) => scoreA - scoreB || Buffer.compare(Buffer.from(a), Buffer.from(b)),
        );
        return due.slice(0, limit).map(([member]) => member);
      },
    },
    chats: createMemoryChats({ records: { get: read, set: write }, now }),
    durability: async () => ({ durable: false, why: 'everything is kept in memory only (no REDIS_URL)' }),
    ping: async () => {},
    close: async () => {},
  };
}
