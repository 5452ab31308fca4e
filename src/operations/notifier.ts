import { randomUUID } from 'node:crypto';
import { createKeyedQueue } from '../keyed-queue.ts';
import type { Storage } from '../storage/storage.ts';
import type { DueIndex } from './due-index.ts';
import type { Operation, OperationRef } from './operation.ts';
import { type Known, type OperationStore, refOf, type Stored } from './store.ts';

/** Who sends a reply has this long; a process that dies meanwhile is not waited for any longer. */
const NEWS_MS = 30_000;
const ELSEWHERE_MS = 2_000;

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

export function createNotifier(deps: {
  storage: Pick<Storage, 'add' | 'delete'>;
  store: OperationStore;
  dueIndex: DueIndex;
  show: Show;
}): Notify {
  const { storage, store, dueIndex, show } = deps;
  const telling = createKeyedQueue<string>();
  const newsKey = ({ user, id }: OperationRef) => `sending-news:{${user}}:${id}`;

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
    // An edit can be made twice, a reply can't: it is sent by one replica alone.
    const sendsNews = operation.late && operation.news === undefined;
    if (sendsNews && !(await storage.add(newsKey(operation), randomUUID(), { ttlMs: NEWS_MS }))) {
      return later(stored, ELSEWHERE_MS);
    }
    try {
      // Whoever had the mark before may have told it.
      const present = sendsNews ? await store.read(refOf(stored)) : stored;
      if (present === undefined) return undefined;
      if (present.operation.notified >= present.operation.revision) return { stored: present, isDue: false };
      return await tellAlone(present, sendsNews);
    } finally {
      if (sendsNews) await storage.delete(newsKey(operation));
    }
  }

  async function tellAlone(stored: Stored, mayReply: boolean): Promise<Notified | undefined> {
    const { operation } = stored;
    const shown = await show(operation);
    if (shown.kind === 'later') return later(await movedTo(stored, shown.card), shown.afterMs);
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
    return mayReply ? tellAlone(told, mayReply) : tell(told);
  }

  return (known) => {
    const ref = refOf(known);
    const key = `${ref.user}/${ref.id}`;
    // What is known before one's turn may be told in the meantime.
    const seen = 'record' in known && !telling.isBusy(key) ? known : undefined;
    return telling.run(key, async () => {
      const stored = seen ?? (await store.read(ref));
      return stored && tell(stored);
    });
  };
}
