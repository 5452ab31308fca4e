import type { Storage } from '../storage/storage.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS, type OperationStore } from './store.ts';

/** Nothing was ever sent of these, nor will be. One that awaits its code expires by itself, which its card is to say. */
const UNCONFIRMED: readonly Operation['state'][] = ['draft', 'cancelled', 'replaced', 'expired', 'void'];

/**
 * Erases what a user never confirmed and made no later than `at` (epoch milliseconds), of what is under these keys. What
 * is confirmed at this very moment stays: it is erased only as it was read.
 */
export type ForgetUnconfirmed = (user: number, keys: readonly string[], at: number) => Promise<void>;

export function createForgetUnconfirmed(deps: {
  storage: Pick<Storage, 'delete'>;
  store: Pick<OperationStore, 'readable'>;
}): ForgetUnconfirmed {
  const { storage, store } = deps;
  return async (user, keys, at) => {
    const begin = `${OPERATIONS}{${user}}:`;
    for (const key of keys.filter((one) => one.startsWith(begin))) {
      const found = await store.readable({ user, id: key.slice(begin.length) });
      if (typeof found !== 'object') continue;
      const { state, claimedAt, createdAt, notified, revision } = found.operation;
      if (!UNCONFIRMED.includes(state) || claimedAt !== undefined || createdAt > at) continue;
      if ((state === 'expired' || state === 'void') && notified < revision) continue;
      await storage.delete(key, found.record.text);
    }
  };
}
