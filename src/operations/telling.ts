import type { Attention } from './attention.ts';
import type { Operation, OperationRef } from './operation.ts';
import type { OperationStore } from './store.ts';

/** How showing an operation to its user went; `later` also where Telegram is away. */
export type Shown = { kind: 'shown' } | { kind: 'impossible' } | { kind: 'later'; afterMs: number };

/** Shows its user how an operation stands: handed in by `app.ts`, since chats are no business of this room. */
export type Show = (operation: Operation) => Promise<Shown>;

/** Tells the user what changed since they were last told; again later, where that fails. */
export type Tell = (ref: OperationRef) => Promise<void>;

export function createTelling({
  store,
  attention,
  show,
  now,
}: {
  store: OperationStore;
  attention: Attention;
  show: Show;
  now: () => number;
}): Tell {
  return async (ref) => {
    const operation = (await store.read(ref))?.operation;
    if (operation === undefined || operation.told >= operation.revision) return;
    const shown = await show(operation);
    if (shown.kind === 'later') return attention.lookAt(ref, now() + shown.afterMs);
    await store.change(ref, (present) => {
      if (present.told >= operation.revision) return undefined;
      const late = present.revision === operation.revision ? false : present.late;
      return { ...present, told: operation.revision, late };
    });
  };
}
