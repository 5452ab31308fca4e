import { isRecent } from './clock.ts';

/**
 * Creates a cache whose entries expire `ttlMs` milliseconds after they were set, by default never. A full cache is
 * cleared, so callers must be able to find out each value again.
 */
export function createTtlCache<Key, Value>({
  ttlMs = Number.POSITIVE_INFINITY,
  now = () => 0,
  maxEntries = 10_000,
}: {
  ttlMs?: number;
  now?: () => number;
  maxEntries?: number;
} = {}) {
  const entries = new Map<Key, { value: Value; at: number }>();
  return {
    get(key: Key): Value | undefined {
      const entry = entries.get(key);
      if (entry && isRecent(entry.at, ttlMs, now())) return entry.value;
      // Deleted, because a clock that was set back reaches the entry's time again.
      entries.delete(key);
      return undefined;
    },
    set(key: Key, value: Value): void {
      if (entries.size >= maxEntries) entries.clear();
      entries.set(key, { value, at: now() });
    },
    delete: (key: Key) => void entries.delete(key),
  };
}
