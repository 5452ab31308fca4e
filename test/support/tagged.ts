import { type Storage, tagOf } from '../../src/platform/storage.ts';

/** Returns all keys with a user's hash tag, without their list. */
export async function keysTagged(storage: Pick<Storage, 'keys'>, user: number): Promise<string[]> {
  const keys = await storage.keys('');
  return keys.filter((key) => tagOf(key) === String(user) && !key.startsWith('keys-of-user:'));
}
