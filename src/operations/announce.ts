import type { Kinds } from './kinds/kinds.ts';
import type { Operation } from './operation.ts';

/** Has everybody else who holds the account told of money that may have left it. Each of them once, however often it is called. */
export type Announce = (operation: Operation) => Promise<void>;

export function createAnnounce(deps: {
  kinds: Kinds;
  /** Has them told, durably. */
  tellHolders: (operation: Operation) => Promise<unknown>;
}): Announce {
  return async (operation) => {
    const { state, request } = operation;
    const hasLeft = state === 'done' || state === 'unknown';
    if (hasLeft && deps.kinds.of(request).takesOut) await deps.tellHolders(operation);
  };
}
