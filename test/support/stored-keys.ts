import { allKeys, type Storage } from '../../src/platform/storage.ts';

/** Returns all stored keys that begin with `prefix`. */
export async function storedKeys(storage: Pick<Storage, 'keysPage'>, prefix = ''): Promise<string[]> {
  const keys = new Set<string>();
  for await (const key of allKeys(storage)) if (key.startsWith(prefix)) keys.add(key);
  return [...keys];
}
