import type { DueIndex } from './due-index.ts';
import type { Operation, OperationRef } from './operation.ts';
import type { OperationStore } from './store.ts';

/** How showing an operation to its user went; `later` also where Telegram is away. `card` is the message it is on now. */
export type Shown =
  | { kind: 'shown'; card: number | undefined }
  | { kind: 'impossible' }
  | { kind: 'later'; afterMs: number };

/** Shows its user how an operation stands: handed in by `app.ts`, since chats are no business of this room. */
export type Show = (operation: Operation) => Promise<Shown>;

/** Tells the user what changed since they were last told; again later, where that fails. */
export type Notify = (ref: OperationRef) => Promise<void>;

export function createNotifier({
  store,
  dueIndex,
  show,
  now,
}: {
  store: OperationStore;
  dueIndex: DueIndex;
  show: Show;
  now: () => number;
}): Notify {
  return async function notify(ref) {
    const operation = (await store.read(ref))?.operation;
    if (operation === undefined || operation.notified >= operation.revision) return;
    const shown = await show(operation);
    if (shown.kind === 'later') return dueIndex.put(ref, now() + shown.afterMs);
    const notified = await store.change(ref, (present) => {
      const card = shown.kind === 'shown' ? shown.card : present.card;
      // Something newer was shown meanwhile, and this may have landed on top of it.
      if (present.notified > operation.revision) return { ...present, card, revision: present.revision + 1 };
      const late = present.revision === operation.revision ? false : present.late;
      return { ...present, card, notified: operation.revision, late };
    });
    if (notified && notified.notified < notified.revision) return notify(ref);
  };
}
