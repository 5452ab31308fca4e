import { type Storage, tagOf } from '../../src/platform/storage.ts';
import { storedKeys } from './stored-keys.ts';

/** Returns all keys with a user's hash tag, without their list. */
export async function keysTagged(storage: Pick<Storage, 'keysPage'>, user: number): Promise<string[]> {
  const keys = await storedKeys(storage);
  return keys.filter((key) => tagOf(key) === String(user) && !key.startsWith('keys-of-user:'));
}
