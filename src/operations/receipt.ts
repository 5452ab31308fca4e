// Notifies users of their operations: the receipt, follow-ups, and outcomes that couldn't be delivered at first.

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Leases } from '../platform/leases.ts';
import { readJson } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { createKeyedQueue } from '../platform/work-queue.ts';
import type { Operation, OperationRef } from './operation.ts';
import type { DueIndex } from './recheck-schedule.ts';
import { type Known, type OperationStore, refOf, type Stored } from './store.ts';
import { revised } from './transitions.ts';

/** Delay until a retry while another replica sends the message, in milliseconds. */
const ELSEWHERE_MS = 2_000;

/**
 * Result of showing an operation to its user. `card` and `news` are the message ids of the receipt and the follow-up.
 *
 * - `impossible`: Telegram accepts no message, because the user blocked the bot for example.
 * - `unplaced`: a new message is needed, but only an edit was allowed.
 * - `later`: a retry is needed, also if Telegram is unreachable. `isUnclear`: the follow-up may have been delivered.
 */
export type Shown =
  | { kind: 'shown'; card: number | undefined; news?: number | undefined }
  | { kind: 'impossible' }
  | { kind: 'unplaced' }
  | { kind: 'later'; afterMs: number; card?: number | undefined; isUnclear?: true };

/**
 * Shows the state of an operation to its user. `services.ts` injects it, because this module doesn't depend on chats.
 * An edit may be repeated. New messages are sent only if `may` is `send`, because each repeated message would be
 * visible.
 */
export type Show = (operation: Operation, may: 'edit' | 'send') => Promise<Shown>;

/** Result of a notification: the current operation, and whether its user must still be notified. */
interface Notified {
  stored: Stored;
  isDue: boolean;
  /** A follow-up was sent and may have been delivered. */
  isUnclear?: boolean;
}

/** Work that accompanies the notification of an outcome. */
interface Finish {
  /**
   * Returns optional details for a receipt that already shows the outcome, or `undefined`. They are shown on the
   * receipt and then stored with the operation.
   */
  adorn?: ((told: Operation) => Promise<Operation | undefined>) | undefined;
  /**
   * Runs in parallel with the write that records the notification. Isn't called while the user must still be notified.
   */
  beside(): Promise<unknown>;
}

/**
 * Notifies the user of changes since the last notification. Schedules a retry if that fails. Returns `undefined` if the
 * operation doesn't exist.
 */
export type Notify = (known: Known, finish?: Finish) => Promise<Notified | undefined>;

/** Shows an outcome again, because an older state may have overwritten it. */
export type ShowAgain = (ref: OperationRef) => Promise<void>;

export function createNotifier(deps: {
  leases: Leases;
  missed: Pick<Missed, 'note'>;
  store: OperationStore;
  dueIndex: DueIndex;
  newsSends: NewsSends;
  show: Show;
}): { notify: Notify; showAgain: ShowAgain } {
  const { leases, missed, store, dueIndex, newsSends, show } = deps;
  const telling = createKeyedQueue<string>();
  const sendingKey = ({ user, id }: OperationRef) => `sending-of:{${user}}:${id}`;

  async function later(stored: Stored, afterMs: number): Promise<Notified> {
    await dueIndex.scheduleIn(refOf(stored), afterMs);
    return { stored, isDue: true };
  }

  /** Stores the id of a receipt that was sent again, even if its follow-up couldn't be sent yet. */
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
    // There is no outcome yet. An edit is enough, and nothing is lost if it fails.
    if (isUnderWay(operation)) {
      await show(operation, 'edit');
      return { stored, isDue: false };
    }
    const isSent = operation.card === undefined || needsNews(operation);
    const edited = isSent ? 'unplaced' : await tellBy('edit', stored, finish);
    return edited === 'unplaced' ? tellAlone(stored, finish) : edited;
  }

  /** Sends a new message under a lease, so that only one replica sends it. */
  async function tellAlone(stored: Stored, finish?: Finish): Promise<Notified | undefined> {
    let told: Notified | undefined;
    const turn = await leases.withLease(sendingKey(stored.operation), async () => {
      // The previous lease holder may have notified the user.
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

  /** Edits only the receipt, because the follow-up was sent twice without a known result. */
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
    // A sent message is recorded at once, without waiting for optional details.
    const adorned = may === 'edit' && shown.kind === 'shown' ? await adornedBy(finish, operation) : undefined;
    const tellingOf = (present: Operation): Operation => {
      const { card, news = present.news } =
        shown.kind === 'shown' ? shown : { card: present.card, news: undefined };
      const where = { ...present, card, ...(news !== undefined && { news }) };
      if (present.revision === operation.revision)
        return { ...where, ...adorned, notified: operation.revision, late: false };
      // A change after this notification needs a follow-up, even if the card already shows it.
      const late = present.late || (shown.kind === 'shown' && isOther(present, operation));
      const result = present.result && { ...present.result, ...balanceOf(adorned) };
      const newer = { ...where, ...(result && { result }), late };
      // A newer state was shown in the meantime, and this one may have overwritten it. Show the newer one again.
      if (present.notified > operation.revision) return { ...newer, revision: present.revision + 1 };
      return { ...newer, notified: operation.revision };
    };
    const [told] = await Promise.all([store.change(stored, tellingOf), finish?.beside()]);
    if (told === undefined) return undefined;
    if (told.operation.notified >= told.operation.revision) return { stored: told, isDue: false };
    return may === 'send' ? tellBy(may, told) : tell(told);
  }

  /** Returns the optional details if the receipt shows them now. */
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
      // The caller's copy may be outdated when a queued notification starts.
      const seen = 'record' in known && !telling.isBusy(keyOf(ref)) ? known : undefined;
      return telling.run(keyOf(ref), async () => {
        const stored = seen ?? (await store.read(ref));
        return stored && tell(stored, finish);
      });
    },
    showAgain: (ref) => telling.run(keyOf(ref), () => tellAgain(ref)),
  };
}

/** Returns whether the user sees a different state or order status. */
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

/** TTL of the list: as long as the operations themselves. */
const UNDELIVERED_TTL_MS = 90 * 24 * 3600_000;
/** TTL of an empty list. */
const EMPTY_TTL_MS = 60_000;
/** Maximum undelivered outcomes of a user, so that one update can deliver all of them. The latest are kept. */
const MAX_UNDELIVERED = 5;
const MAX_RETRIES = 20;

const idsSchema = z.array(z.string());

/** Outcomes that Telegram didn't deliver, because the user blocked the bot for example. */
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
    throw new Error('undelivered outcomes: too many concurrent changes');
  }

  return {
    note: ({ user, id }) =>
      change(user, (ids) => [...ids.filter((one) => one !== id), id].slice(-MAX_UNDELIVERED)),
    of: async (user) => idsIn(await storage.get(keyOf(user))).map((id) => ({ user, id })),
    forget: ({ user, id }) => change(user, (ids) => ids.filter((one) => one !== id)),
  };
}

/**
 * Notifies a user who has come back of undelivered outcomes (see {@link Missed}). Each one is sent once, as a follow-up
 * to its receipt.
 */
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
      // Scheduled before the entry is removed, so that the user is notified even if this process ends.
      await dueIndex.scheduleIn(ref, 0);
      await missed.forget(ref);
      await notify(ref);
    }
  };
}

/** TTL of a count, in milliseconds. Longer than any retry. */
const FOLLOW_UP_TTL_MS = 24 * 3600_000;
const MAX_FOLLOW_UPS = 2;

/**
 * Counts follow-up sends without a known result: the process ended, or Telegram's response was lost. Each of them may
 * have been delivered, so there are at most two.
 */
interface NewsSends {
  /** Counts a send. Returns `false` if two sends have no known result. */
  begin(ref: OperationRef): Promise<boolean>;
  /** Resets the count. Call if the follow-up was certainly not delivered. */
  undone(ref: OperationRef): Promise<void>;
}

/** Returns whether a follow-up is needed and doesn't exist yet. */
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
