import type { Storage } from '../../src/platform/storage.ts';

/** Returns the keys that begin with `prefix`, including indexes and counters. */
export async function storedKeys(storage: Pick<Storage, 'keysPage'>, prefix = ''): Promise<string[]> {
  const found = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await storage.keysPage(cursor);
    for (const key of page.keys) if (key.startsWith(prefix)) found.add(key);
    cursor = page.next;
  } while (cursor !== undefined);
  return [...found];
}
