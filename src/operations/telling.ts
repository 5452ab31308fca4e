import type { Attention } from './attention.ts';
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
  return async function tell(ref) {
    const operation = (await store.read(ref))?.operation;
    if (operation === undefined || operation.told >= operation.revision) return;
    const shown = await show(operation);
    if (shown.kind === 'later') return attention.lookAt(ref, now() + shown.afterMs);
    const told = await store.change(ref, (present) => {
      const card = shown.kind === 'shown' ? shown.card : present.card;
      // Something newer was shown meanwhile, and this may have landed on top of it.
      if (present.told > operation.revision) return { ...present, card, revision: present.revision + 1 };
      const late = present.revision === operation.revision ? false : present.late;
      return { ...present, card, told: operation.revision, late };
    });
    if (told && told.told < told.revision) return tell(ref);
  };
}
