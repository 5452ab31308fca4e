import type { DueIndex } from './due-index.ts';
import { isUncertain } from './operation.ts';
import type { OperationStore } from './store.ts';

/** Beyond it nobody counts. */
const COUNTED = 200;

/** What was confirmed and hasn't come to an outcome that is known: how many at least, where there are more than are counted. */
export interface UnderWay {
  /** Claimed or sent, and not answered yet. */
  going: number;
  /** Whose outcome nobody knows, and which is still looked for. */
  uncertain: number;
  isMore: boolean;
}

/** Looks at what is watched, with few reads however much that is. */
export function createUnderWay(deps: {
  store: Pick<OperationStore, 'readable'>;
  dueIndex: Pick<DueIndex, 'watched'>;
}): () => Promise<UnderWay> {
  return async () => {
    const refs = await deps.dueIndex.watched(COUNTED + 1);
    const found = await Promise.all(refs.slice(0, COUNTED).map(deps.store.readable));
    const operations = found.flatMap((one) => (typeof one === 'object' ? [one.operation] : []));
    return {
      going: operations.filter(({ state }) => state === 'claimed' || state === 'sent').length,
      uncertain: operations.filter(isUncertain).length,
      isMore: refs.length > COUNTED,
    };
  };
}
