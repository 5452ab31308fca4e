import type { DueIndex } from './due-index.ts';
import type { Missed } from './missed.ts';
import type { Notify } from './notifier.ts';
import type { OperationRef } from './operation.ts';
import { revised } from './settle.ts';
import type { OperationStore } from './store.ts';

/** Tells a user who has come back what they {@link Missed}, each once: as news below its receipt. */
export type TellMissed = (refs: readonly OperationRef[]) => Promise<void>;

export function createTellMissed(deps: {
  missed: Pick<Missed, 'forget'>;
  store: OperationStore;
  dueIndex: DueIndex;
  notify: Notify;
}): TellMissed {
  const { missed, store, dueIndex, notify } = deps;
  return async (refs) => {
    for (const ref of refs) {
      await store.change(ref, ({ news: _, ...present }) => {
        const isDue = present.late && present.notified < present.revision;
        return isDue ? undefined : revised(present, { late: true });
      });
      // Before it is forgotten: wherever this ends, it is told.
      await dueIndex.putIn(ref, 0);
      await missed.forget(ref);
      await notify(ref);
    }
  };
}
