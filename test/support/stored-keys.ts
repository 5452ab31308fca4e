import type { Storage } from '../../src/platform/storage.ts';

/** Returns all stored keys that begin with `prefix`. */
export async function storedKeys(storage: Pick<Storage, 'keysPage'>, prefix = ''): Promise<string[]> {
  const keys = new Set<string>();
  let cursor: string | undefined;
  do {
    const page: Awaited<ReturnType<Storage['keysPage']>> = await storage.keysPage(cursor);
    for (const key of page.keys) if (key.startsWith(prefix)) keys.add(key);
    cursor = page.next;
  } while (cursor !== undefined);
  return [...keys];
}
