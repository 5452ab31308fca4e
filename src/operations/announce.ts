import type { Log } from '../log.ts';
import { isUncertain, type Operation } from './operation.ts';
import type { OperationStore, Stored } from './store.ts';

/**
 * Has those told whom it concerns besides its user: everybody else who holds the account that money may have left, or who
 * takes care of what was made. Answers whether that is still to do: the operation says so itself until it is done, and is
 * looked at again.
 */
export type Announce = (stored: Stored) => Promise<{ stored: Stored; isDue: boolean }>;

export function createAnnounce(deps: {
  store: OperationStore;
  /** Has them told, durably. */
  tell: (operation: Operation) => Promise<unknown>;
  log: Log;
}): Announce {
  const { store, tell, log } = deps;
  return async (stored) => {
    const { operation } = stored;
    const hasLeft = operation.state === 'done' || isUncertain(operation);
    if (operation.untold !== true || !hasLeft) return { stored, isDue: false };
    try {
      await tell(operation);
      const told = await store.change(stored, ({ untold: _, ...present }) => present);
      return { stored: told ?? stored, isDue: false };
    } catch (err) {
      log.warn({ err, operation: operation.id }, 'those whom it concerns could not be told yet');
      return { stored, isDue: true };
    }
  };
}
