import { createKeyedQueue } from '../keyed-queue.ts';
import type { Turns } from '../storage/turns.ts';
import type { DueIndex } from './due-index.ts';
import type { Missed } from './missed.ts';
import type { Operation, OperationRef } from './operation.ts';
import { type Known, type OperationStore, refOf, type Stored } from './store.ts';

const ELSEWHERE_MS = 2_000;

/**
 * How showing an operation to its user went; `later` also where Telegram is away. `card` is the message that it is on
 * now, `news` the reply below it. `unplaced`: it needs a message of its own, and none was to be sent.
 */
export type Shown =
  | { kind: 'shown'; card: number | undefined; news?: number | undefined }
  | { kind: 'impossible' }
  | { kind: 'unplaced' }
  | { kind: 'later'; afterMs: number; card?: number | undefined };

/**
 * Shows its user how an operation stands: handed in by `services.ts`, since chats are no business of this room. An edit
 * can be made twice; messages are sent only where `may` says so, since of those each one counts.
 */
export type Show = (operation: Operation, may: 'edit' | 'send') => Promise<Shown>;

/** What telling came to: the operation as it is now, and whether its user still has to be told something. */
export interface Notified {
  stored: Stored;
  isDue: boolean;
}

/** Tells the user what changed since they were last told; again later, where that fails. `undefined`: there is no such operation. */
export type Notify = (known: Known) => Promise<Notified | undefined>;

/**
 * Shows something on an operation's receipt that only adorns it, and keeps it once it is shown: nobody is told of it, and
 * where it can't be shown, nobody misses it. `beside` is written with it. Answers whether it was.
 */
export type Adorn = (stored: Stored, adorned: Operation, beside: () => Promise<unknown>) => Promise<boolean>;

/** Shows an outcome once more that something older may have been shown on top of. */
export type ShowAgain = (ref: OperationRef) => Promise<void>;

export function createNotifier(deps: {
  turns: Turns;
  missed: Pick<Missed, 'note'>;
  store: OperationStore;
  dueIndex: DueIndex;
  show: Show;
}): { notify: Notify; adorn: Adorn; showAgain: ShowAgain } {
  const { turns, missed, store, dueIndex, show } = deps;
  const telling = createKeyedQueue<string>();
  const sendingKey = ({ user, id }: OperationRef) => `sending-of:{${user}}:${id}`;

  async function later(stored: Stored, afterMs: number): Promise<Notified> {
    await dueIndex.putIn(refOf(stored), afterMs);
    return { stored, isDue: true };
  }

  /** A receipt that had to be sent anew stays the receipt, though its news could not be told yet. */
  async function movedTo(stored: Stored, card: number | undefined): Promise<Stored> {
    if (card === undefined || card === stored.operation.card) return stored;
    return (await store.change(stored, (present) => ({ ...present, card }))) ?? stored;
  }

  async function tell(stored: Stored): Promise<Notified | undefined> {
    const { operation } = stored;
    if (operation.notified >= operation.revision) return { stored, isDue: false };
    // What is under way has no outcome yet: it is worth an edit, and nothing is missed without.
    if (isUnderWay(operation)) {
      await show(operation, 'edit');
      return { stored, isDue: false };
    }
    const isSent = operation.card === undefined || (operation.late && operation.news === undefined);
    const edited = isSent ? 'unplaced' : await tellBy('edit', stored);
    return edited === 'unplaced' ? tellAlone(stored) : edited;
  }

  /** What needs a message is told by one replica alone. */
  async function tellAlone(stored: Stored): Promise<Notified | undefined> {
    let told: Notified | undefined;
    const turn = await turns.take(sendingKey(stored.operation), async () => {
      // Whoever had the turn before may have told it.
      const present = await store.read(refOf(stored));
      if (present === undefined) return;
      const isTold = present.operation.notified >= present.operation.revision;
      const sent = isTold ? { stored: present, isDue: false } : await tellBy('send', present);
      told = sent === 'unplaced' ? await later(present, ELSEWHERE_MS) : sent;
    });
    return turn === 'busy' ? later(stored, ELSEWHERE_MS) : told;
  }

  async function tellBy(may: 'edit' | 'send', stored: Stored): Promise<Notified | undefined | 'unplaced'> {
    const { operation } = stored;
    const shown = await show(operation, may);
    if (shown.kind === 'unplaced') return 'unplaced';
    if (shown.kind === 'later') return later(await movedTo(stored, shown.card), shown.afterMs);
    if (shown.kind === 'impossible') await missed.note(refOf(stored));
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
    if (told.operation.notified >= told.operation.revision) return { stored: told, isDue: false };
    return may === 'send' ? tellBy(may, told) : tell(told);
  }

  async function showAdorned(...[stored, adorned, beside]: Parameters<Adorn>): Promise<boolean> {
    const { revision } = stored.operation;
    const shown = await show(adorned, 'edit');
    if (shown.kind !== 'shown') return false;
    const keep = (present: Operation) =>
      present.revision === revision && present.notified === revision
        ? { ...adorned, revision: revision + 1, notified: revision + 1 }
        : undefined;
    const [kept] = await Promise.all([store.change(stored, keep), beside()]);
    if (kept) return true;
    // It may have landed on top of something newer.
    await tellAgain(refOf(stored));
    return true;
  }

  async function tellAgain(ref: OperationRef): Promise<void> {
    const present = await store.change(ref, (operation) =>
      isUnderWay(operation) ? undefined : { ...operation, revision: operation.revision + 1 },
    );
    if (present) await tell(present);
  }

  const keyOf = ({ user, id }: OperationRef) => `${user}/${id}`;
  return {
    notify(known) {
      const ref = refOf(known);
      // What is known before one's turn may be told in the meantime.
      const seen = 'record' in known && !telling.isBusy(keyOf(ref)) ? known : undefined;
      return telling.run(keyOf(ref), async () => {
        const stored = seen ?? (await store.read(ref));
        return stored && tell(stored);
      });
    },
    showAgain: (ref) => telling.run(keyOf(ref), () => tellAgain(ref)),
    adorn: (...given) => telling.run(keyOf(refOf(given[0])), () => showAdorned(...given)),
  };
}

function isUnderWay({ state }: Operation): boolean {
  return state === 'claimed' || state === 'sent';
}
