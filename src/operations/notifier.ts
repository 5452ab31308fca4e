import type { DueIndex } from './due-index.ts';
import type { Operation } from './operation.ts';
import { type Known, type OperationStore, refOf, type Stored } from './store.ts';

/**
 * How showing an operation to its user went; `later` also where Telegram is away. `card` is the message that it is on
 * now, `news` the reply below it.
 */
export type Shown =
  | { kind: 'shown'; card: number | undefined; news?: number | undefined }
  | { kind: 'impossible' }
  | { kind: 'later'; afterMs: number; card?: number | undefined };

/** Shows its user how an operation stands: handed in by `services.ts`, since chats are no business of this room. */
export type Show = (operation: Operation) => Promise<Shown>;

/** What telling came to: the operation as it is now, and whether its user still has to be told something. */
export interface Notified {
  stored: Stored;
  isDue: boolean;
}

/** Tells the user what changed since they were last told; again later, where that fails. `undefined`: there is no such operation. */
export type Notify = (known: Known) => Promise<Notified | undefined>;

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
  /** A receipt that had to be sent anew stays the receipt, though its news could not be told yet. */
  async function movedTo(stored: Stored, card: number | undefined): Promise<Stored> {
    if (card === undefined || card === stored.operation.card) return stored;
    return (await store.change(stored, (present) => ({ ...present, card }))) ?? stored;
  }

  return async function notify(known): Promise<Notified | undefined> {
    const stored = 'text' in known ? known : await store.read(known);
    if (stored === undefined) return undefined;
    const { operation } = stored;
    if (operation.notified >= operation.revision) return { stored, isDue: false };
    const shown = await show(operation);
    if (shown.kind === 'later') {
      await dueIndex.put(refOf(operation), now() + shown.afterMs);
      return { stored: await movedTo(stored, shown.card), isDue: true };
    }
    const told = await store.change(stored, (present) => {
      const { card, news = present.news } =
        shown.kind === 'shown' ? shown : { card: present.card, news: undefined };
      const where = { ...present, card, ...(news !== undefined && { news }) };
      // Something newer was shown meanwhile, and this may have landed on top of it.
      if (present.notified > operation.revision) return { ...where, revision: present.revision + 1 };
      const late = present.revision === operation.revision ? false : present.late;
      return { ...where, notified: operation.revision, late };
    });
    if (told === undefined) return undefined;
    return told.operation.notified < told.operation.revision ? notify(told) : { stored: told, isDue: false };
  };
}
