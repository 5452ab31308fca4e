import type { DueIndex } from './due-index.ts';
import { isUncertain } from './operation.ts';
import type { OperationStore } from './store.ts';
import type { Unresolved } from './unresolved.ts';

/** Beyond it nobody counts. */
const COUNTED = 200;

/** What was confirmed and hasn't come to an outcome that is known: how many at least, where there are more than are counted. */
export interface UnderWay {
  /** Claimed or sent, and not answered yet. */
  going: number;
  /** Whose outcome nobody knows: as many as are listed as unresolved. */
  uncertain: number;
  isMore: boolean;
}

/** Looks at what is watched, with few reads however much that is. */
export function createUnderWay(deps: {
  store: Pick<OperationStore, 'readable'>;
  dueIndex: Pick<DueIndex, 'watched'>;
  unresolved: Pick<Unresolved, 'list'>;
}): () => Promise<UnderWay> {
  return async () => {
    const [refs, listed] = await Promise.all([deps.dueIndex.watched(COUNTED + 1), deps.unresolved.list()]);
    const found = await Promise.all(refs.slice(0, COUNTED).map(deps.store.readable));
    const operations = found.flatMap((one) => (typeof one === 'object' ? [one.operation] : []));
    const uncertain = [...operations, ...listed.operations].filter(isUncertain);
    return {
      going: operations.filter(({ state }) => state === 'claimed' || state === 'sent').length,
      uncertain: new Set(uncertain.map(({ user, id }) => `${user}/${id}`)).size + listed.unreadable,
      isMore: refs.length > COUNTED || listed.isMore,
    };
  };
}
