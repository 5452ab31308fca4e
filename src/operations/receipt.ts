import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Turns } from '../platform/leases.ts';
import { readJson } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { createKeyedQueue } from '../platform/work-queue.ts';
import type { Operation, OperationRef } from './operation.ts';
import type { DueIndex } from './recheck-schedule.ts';
import { type Known, type OperationStore, refOf, type Stored } from './store.ts';
import { revised } from './transitions.ts';

const ELSEWHERE_MS = 2_000;

/**
 * How showing an operation to its user went; `later` also where Telegram is away. `card` is the message that it is on
 * now, `news` the reply below it. `unplaced`: it needs a message of its own, and none was to be sent. `isUnclear`: the
 * reply may have been delivered nevertheless.
 */
export type Shown =
  | { kind: 'shown'; card: number | undefined; news?: number | undefined }
  | { kind: 'impossible' }
  | { kind: 'unplaced' }
  | { kind: 'later'; afterMs: number; card?: number | undefined; isUnclear?: true };

/**
 * Shows its user how an operation stands: handed in by `services.ts`, since chats are no business of this room. An edit
 * can be made twice; messages are sent only where `may` says so, since of those each one counts.
 */
export type Show = (operation: Operation, may: 'edit' | 'send') => Promise<Shown>;

/** What telling came to: the operation as it is now, and whether its user still has to be told something. */
interface Notified {
  stored: Stored;
  isDue: boolean;
  /** A reply was sent, and may have been delivered. */
  isUnclear?: boolean;
}

/** What goes with telling an outcome. */
interface Finish {
  /**
   * What only adorns a receipt on which the outcome stands by now: shown there and kept with it. Where it can't be had
   * or shown, nobody misses it.
   */
  adorn?: ((told: Operation) => Promise<Operation | undefined>) | undefined;
  /** Written together with the word that its user was told, and not where they still have to be. */
  beside(): Promise<unknown>;
}

/** Tells the user what changed since they were last told; again later, where that fails. `undefined`: there is no such operation. */
export type Notify = (known: Known, finish?: Finish) => Promise<Notified | undefined>;

/** Shows an outcome once more that something older may lie on top of. */
export type ShowAgain = (ref: OperationRef) => Promise<void>;

export function createNotifier(deps: {
  turns: Turns;
  missed: Pick<Missed, 'note'>;
  store: OperationStore;
  dueIndex: DueIndex;
  newsSends: NewsSends;
  show: Show;
}): { notify: Notify; showAgain: ShowAgain } {
  const { turns, missed, store, dueIndex, newsSends, show } = deps;
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

  async function tell(stored: Stored, finish?: Finish): Promise<Notified | undefined> {
    const { operation } = stored;
    if (operation.notified >= operation.revision) {
      await finish?.beside();
      return { stored, isDue: false };
    }
    // What is under way has no outcome yet: it is worth an edit, and nothing is missed without.
    if (isUnderWay(operation)) {
      await show(operation, 'edit');
      return { stored, isDue: false };
    }
    const isSent = operation.card === undefined || needsNews(operation);
    const edited = isSent ? 'unplaced' : await tellBy('edit', stored, finish);
    return edited === 'unplaced' ? tellAlone(stored, finish) : edited;
  }

  /** What needs a message is told by one replica alone. */
  async function tellAlone(stored: Stored, finish?: Finish): Promise<Notified | undefined> {
    let told: Notified | undefined;
    const turn = await turns.take(sendingKey(stored.operation), async () => {
      // Whoever had the turn before may have told it.
      const present = await store.read(refOf(stored));
      if (present === undefined) return;
      const isTold = present.operation.notified >= present.operation.revision;
      const isNews = !isTold && present.operation.card !== undefined && needsNews(present.operation);
      if (isNews && !(await newsSends.begin(refOf(present)))) {
        told = await toldByEdit(present, finish);
        return;
      }
      const sent = isTold ? await tell(present, finish) : await tellBy('send', present, finish);
      told = sent === 'unplaced' ? await later(present, ELSEWHERE_MS) : sent;
      if (isNews && told?.isDue && !told.isUnclear) await newsSends.undone(refOf(present));
    });
    return turn === 'busy' ? later(stored, ELSEWHERE_MS) : told;
  }

  /** The reply was sent twice without a known result. From now on only the receipt is edited. */
  async function toldByEdit(stored: Stored, finish?: Finish): Promise<Notified | undefined> {
    const { operation } = stored;
    await show(operation, 'edit');
    const [told] = await Promise.all([
      store.change(stored, (present) => ({ ...present, notified: operation.revision, late: false })),
      finish?.beside(),
    ]);
    return told && { stored: told, isDue: told.operation.notified < told.operation.revision };
  }

  async function tellBy(
    may: 'edit' | 'send',
    stored: Stored,
    finish?: Finish,
  ): Promise<Notified | undefined | 'unplaced'> {
    const { operation } = stored;
    const shown = await show(operation, may);
    if (shown.kind === 'unplaced') return 'unplaced';
    if (shown.kind === 'later') {
      const { stored: moved, isDue } = await later(await movedTo(stored, shown.card), shown.afterMs);
      return { stored: moved, isDue, isUnclear: shown.isUnclear === true };
    }
    if (shown.kind === 'impossible') await missed.note(refOf(stored));
    // Of messages each one counts: that one was sent is written at once.
    const adorned = may === 'edit' && shown.kind === 'shown' ? await adornedBy(finish, operation) : undefined;
    const tellingOf = (present: Operation): Operation => {
      const { card, news = present.news } =
        shown.kind === 'shown' ? shown : { card: present.card, news: undefined };
      const where = { ...present, card, ...(news !== undefined && { news }) };
      if (present.revision === operation.revision)
        return { ...where, ...adorned, notified: operation.revision, late: false };
      // What came after its user has seen this is news, also where somebody showed it without a word.
      const late = present.late || (shown.kind === 'shown' && isOther(present, operation));
      const result = present.result && { ...present.result, ...balanceOf(adorned) };
      const newer = { ...where, ...(result && { result }), late };
      // Something newer was shown meanwhile, and this may have landed on top of it.
      if (present.notified > operation.revision) return { ...newer, revision: present.revision + 1 };
      return { ...newer, notified: operation.revision };
    };
    const [told] = await Promise.all([store.change(stored, tellingOf), finish?.beside()]);
    if (told === undefined) return undefined;
    if (told.operation.notified >= told.operation.revision) return { stored: told, isDue: false };
    return may === 'send' ? tellBy(may, told) : tell(told);
  }

  /** What it came to, where that stands on the receipt by now. */
  async function adornedBy(
    finish: Finish | undefined,
    operation: Operation,
  ): Promise<Pick<Operation, 'result'> | undefined> {
    const adorned = await finish?.adorn?.(operation);
    if (adorned === undefined || (await show(adorned, 'edit')).kind !== 'shown') return undefined;
    return { result: adorned.result };
  }

  async function tellAgain(ref: OperationRef): Promise<void> {
    const present = await store.change(ref, (operation) =>
      isUnderWay(operation) ? undefined : { ...operation, revision: operation.revision + 1 },
    );
    if (present) await tell(present);
  }

  const keyOf = ({ user, id }: OperationRef) => `${user}/${id}`;
  return {
    notify(known, finish) {
      const ref = refOf(known);
      // What is known before one's turn may be told in the meantime.
      const seen = 'record' in known && !telling.isBusy(keyOf(ref)) ? known : undefined;
      return telling.run(keyOf(ref), async () => {
        const stored = seen ?? (await store.read(ref));
        return stored && tell(stored, finish);
      });
    },
    showAgain: (ref) => telling.run(keyOf(ref), () => tellAgain(ref)),
  };
}

/** Whether they say something else to their user. */
function isOther(one: Operation, other: Operation): boolean {
  return one.state !== other.state || one.result?.status !== other.result?.status;
}

function balanceOf(adorned: Pick<Operation, 'result'> | undefined) {
  const balanceLeft = adorned?.result?.balanceLeft;
  return balanceLeft === undefined ? {} : { balanceLeft };
}

function isUnderWay({ state }: Operation): boolean {
  return state === 'claimed' || state === 'sent';
}

/** As long as the operations themselves. */
const UNDELIVERED_TTL_MS = 90 * 24 * 3600_000;
/** Nothing is missed any more. */
const EMPTY_TTL_MS = 60_000;
/** Few enough to be told within one update; the latest ones. */
const MAX_UNDELIVERED = 5;
const MAX_RETRIES = 20;

const idsSchema = z.array(z.string());

/** Outcomes that their user could not be told, having blocked the bot. */
export interface Missed {
  note(ref: OperationRef): Promise<void>;
  of(user: number): Promise<OperationRef[]>;
  forget(ref: OperationRef): Promise<void>;
}

export function createMissed({ storage }: { storage: Storage }): Missed {
  const keyOf = (user: number) => `missed:{${user}}`;
  const idsIn = (text: string | undefined) => readJson(idsSchema, text) ?? [];

  async function change(user: number, changed: (ids: string[]) => string[]): Promise<void> {
    for (let tried = 0; tried < MAX_RETRIES; tried++) {
      const text = await storage.get(keyOf(user));
      const ids = changed(idsIn(text));
      const next = JSON.stringify(ids);
      const kept = { ttlMs: ids.length > 0 ? UNDELIVERED_TTL_MS : EMPTY_TTL_MS };
      const isWritten =
        text === undefined
          ? await storage.add(keyOf(user), next, kept)
          : await storage.replace(keyOf(user), text, next, kept);
      if (isWritten) return;
    }
    throw new Error('what a user has missed kept changing');
  }

  return {
    note: ({ user, id }) =>
      change(user, (ids) => [...ids.filter((one) => one !== id), id].slice(-MAX_UNDELIVERED)),
    of: async (user) => idsIn(await storage.get(keyOf(user))).map((id) => ({ user, id })),
    forget: ({ user, id }) => change(user, (ids) => ids.filter((one) => one !== id)),
  };
}

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

/** Longer than anybody tries again. */
const FOLLOW_UP_TTL_MS = 24 * 3600_000;
const MAX_FOLLOW_UPS = 2;

/**
 * Counts how often the reply to a receipt was sent without a known result: the process ended, or Telegram's answer got
 * lost. It may have been delivered each time, so it is sent twice at most.
 */
interface NewsSends {
  /** Counts a send. Returns false if two have no known result. */
  begin(ref: OperationRef): Promise<boolean>;
  /** Called if the reply was certainly not delivered. */
  undone(ref: OperationRef): Promise<void>;
}

/** It is to be told in a reply that isn't there yet. */
function needsNews({ late, news }: Pick<Operation, 'late' | 'news'>): boolean {
  return late && news === undefined;
}

export function createNewsSends({ storage }: { storage: Pick<Storage, 'add' | 'delete'> }): NewsSends {
  const keyOf = ({ user, id }: OperationRef, nth: number) => `news-begun:{${user}}:${id}:${nth}`;
  const all = Array.from({ length: MAX_FOLLOW_UPS }, (_, at) => at + 1);
  return {
    async begin(ref) {
      for (const nth of all)
        if (await storage.add(keyOf(ref, nth), randomUUID(), { ttlMs: FOLLOW_UP_TTL_MS })) return true;
      return false;
    },
    async undone(ref) {
      await Promise.all(all.map((nth) => storage.delete(keyOf(ref, nth))));
    },
  };
}
