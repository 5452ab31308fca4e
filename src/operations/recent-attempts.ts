import type { Storage } from '../storage/storage.ts';
import type { Operation, OperationRef } from './operation.ts';
import type { OperationStore } from './store.ts';

const KEPT_MS = 24 * 3600_000;
const MANY = 500;

/** The operations that were sent for one account lately: whatever one of them did could be taken for another's trace. */
export interface RecentAttempts {
  add(operation: Operation): Promise<void>;
  /** Those of the last day, oldest first. */
  of(account: number): Promise<Operation[]>;
  /** Whether another operation may have moved the balance since this one was sent. */
  anyBeside(operation: Operation): Promise<boolean>;
}

export function createRecentAttempts({
  storage,
  store,
  now,
}: {
  storage: Storage;
  store: OperationStore;
  now: () => number;
}): RecentAttempts {
  const keyOf = (account: number) => `sent-of-account:${account}`;
  const member = ({ user, id }: OperationRef) => `${user}/${id}`;

  async function of(account: number): Promise<Operation[]> {
    const members = await storage.index.upTo(keyOf(account), now(), MANY);
    const found = await Promise.all(
      members.map((text) => {
        const [user, id] = text.split('/');
        return store.read({ user: Number(user), id: id ?? '' });
      }),
    );
    return found.flatMap((stored) => stored?.operation ?? []);
  }

  return {
    async add(operation) {
      const key = keyOf(operation.account);
      const old = await storage.index.upTo(key, now() - KEPT_MS, MANY);
      await Promise.all(old.map((text) => storage.index.remove(key, text)));
      await storage.index.put(key, member(operation), now());
    },
    of,
    async anyBeside(operation) {
      const all = await of(operation.account);
      // Among very many, one that matters may be missing: then nothing is concluded.
      return all.length >= MANY || all.some((other) => isRival(other, operation));
    },
  };
}

function isRival(other: Operation, operation: Operation): boolean {
  if (other.id === operation.id && other.user === operation.user) return false;
  if (other.state === 'refused') return false;
  const over = other.settledAt !== undefined && other.settledAt <= (operation.sentAt ?? 0);
  return !over;
}
