import { createMemoryChats } from './memory-chats.ts';
import type { Lifetime, Storage } from './storage.ts';

interface Entry {
  value: string;
  expiresAt: number;
}

/** Storage that ends with the process. `now` is the time in epoch milliseconds. */
export function createMemoryStorage({ now = Date.now }: { now?: () => number } = {}): Storage {
  const entries = new Map<string, Entry>();
  const indexes = new Map<string, Map<string, number>>();

  function read(key: string): string | undefined {
    const entry = entries.get(key);
    if (!entry || entry.expiresAt > now()) return entry?.value;
    entries.delete(key);
    return undefined;
  }

  function write(key: string, value: string, ttlMs?: Lifetime['ttlMs']): void {
    const kept = entries.get(key)?.expiresAt ?? Number.POSITIVE_INFINITY;
    const expiresAt = ttlMs === 'kept' ? kept : ttlMs ? now() + ttlMs : Number.POSITIVE_INFINITY;
    entries.set(key, { value, expiresAt });
  }

  const put = (index: string, member: string, score: number) => {
    const scores = indexes.get(index) ?? new Map<string, number>();
    indexes.set(index, scores.set(member, score));
  };
  const upTo = (index: string, max: number, limit: number) => {
    const due = [...(indexes.get(index) ?? [])].filter(([, score]) => score <= max);
    due.sort(([a, scoreA], [b, scoreB]) => scoreA - scoreB || Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return due.slice(0, limit).map(([member]) => member);
  };

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
    keys: async (prefix) =>
      [...entries.keys()].filter((key) => key.startsWith(prefix) && read(key) !== undefined),
    secure: async (key, value) => read(key) === value,
    index: {
      put: async (index, member, score) => put(index, member, score),
      async remove(index, member) {
        indexes.get(index)?.delete(member);
      },
      upTo: async (index, max, limit) => upTo(index, max, limit),
      putIn: async (index, member, inMs) => put(index, member, now() + inMs),
      due: async (index, limit) => upTo(index, now(), limit),
    },
    chats: createMemoryChats({ records: { get: read, set: write }, now }),
    durability: async () => ({ durable: false, why: 'everything is kept in memory only (no REDIS_URL)' }),
    check: async () => {},
    ping: async () => {},
    close: async () => {},
  };
}
