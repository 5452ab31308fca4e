import type { Storage } from '../storage/storage.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Operation } from './operation.ts';

/** Longer than a request may take, and so long that one whose answer was lost shows what became of it. */
const LOCKED_MS = 10 * 60_000;

/** What two operations of an account must not change at once, whoever confirms them. */
export interface Locks {
  /** Answers whether it is this operation's now. One that nobody releases goes after ten minutes. */
  take(operation: Operation): Promise<boolean>;
  release(operation: Operation): Promise<void>;
}

export function createLocks({ storage, kinds }: { storage: Storage; kinds: Kinds }): Locks {
  const keyOf = ({ account, request }: Operation) => {
    const name = kinds.of(request).listing?.lock(request);
    return name === undefined ? undefined : `locked:${account}:${name}`;
  };
  const holder = ({ user, id }: Operation) => `${user}/${id}`;
  return {
    async take(operation) {
      const key = keyOf(operation);
      return key === undefined || storage.add(key, holder(operation), { ttlMs: LOCKED_MS });
    },
    async release(operation) {
      const key = keyOf(operation);
      if (key !== undefined) await storage.delete(key, holder(operation));
    },
  };
}
