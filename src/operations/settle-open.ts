import type { Locks } from './locks.ts';
import { isUncertain, type Operation } from './operation.ts';
import type { Known, OperationStore, Stored } from './store.ts';
import type { Unresolved } from './unresolved.ts';

/**
 * Ends an operation whose outcome isn't known: by evidence, by its user, or by hand. Answers it; `undefined` where it was
 * settled meanwhile, and stays as it is.
 */
export type SettleOpen = (known: Known, end: (open: Operation) => Operation) => Promise<Stored | undefined>;

export function createSettleOpen(deps: {
  store: Pick<OperationStore, 'change'>;
  locks: Pick<Locks, 'release'>;
  unresolved: Pick<Unresolved, 'left'>;
}): SettleOpen {
  const { store, locks, unresolved } = deps;
  return async (known, end) => {
    const ended = await store.change(known, (present) => (isUncertain(present) ? end(present) : undefined));
    if (ended) await Promise.all([locks.release(ended.operation), unresolved.left(ended.operation)]);
    return ended;
  };
}
