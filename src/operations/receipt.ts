// Notifies users of their operations: the receipt, follow-ups, and outcomes that couldn't be delivered at first.

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { defineLease, type Leases } from '../platform/leases.ts';
import { defineRecord, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { keyOf, type StoredData } from '../platform/stored-data.ts';
import { createKeyedQueue } from '../platform/work-queue.ts';
import type { Operation, OperationRef } from './operation.ts';
import { revised } from './operation.ts';
import type { RecheckSchedule } from './recheck-schedule.ts';
import { type Known, OPERATION_TTL_MS, type OperationStore, refOf, type Stored } from './store.ts';

export const SENDING_RECEIPT = defineLease({
  keys: 'sending-receipt:{user}:id',
  content: "Lease of the process that sends the operation's message",
  retained: { own: 'kept-under-way' },
});

/** Delay until a retry while another replica sends the message, in milliseconds. */
const BUSY_RETRY_MS = 2_000;

/**
 * Result of showing an operation to its user. `card` and `followUp` are the message ids of the receipt and the follow-up.
 *
 * - `impossible`: Telegram accepts no message, because the user blocked the bot for example.
 * - `unplaced`: a new message is needed, but only an edit was allowed.
 * - `later`: a retry is needed, also if Telegram is unreachable. `isUnclear`: the follow-up may have been delivered.
 */
export type Shown =
  | { kind: 'shown'; card: number | undefined; followUp?: number | undefined }
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
  addDetails?: ((notified: Operation) => Promise<Operation | undefined>) | undefined;
  /**
   * Runs in parallel with the write that records the notification. Isn't called while the user must still be notified.
   */
  inParallel(): Promise<unknown>;
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
  undelivered: Pick<UndeliveredOutcomes, 'add'>;
  store: OperationStore;
  recheckSchedule: RecheckSchedule;
  followUpAttempts: FollowUpAttempts;
  show: Show;
}): { notify: Notify; showAgain: ShowAgain } {
  const { leases, undelivered, store, recheckSchedule, followUpAttempts, show } = deps;
  const queue = createKeyedQueue<string>();
  const nameOf = ({ user, id }: OperationRef) => `${user}/${id}`;

  async function retryIn(stored: Stored, afterMs: number): Promise<Notified> {
    await recheckSchedule.scheduleIn(refOf(stored), afterMs);
    return { stored, isDue: true };
  }

  /** Stores the id of a receipt that was sent again, even if its follow-up couldn't be sent yet. */
  async function withCard(stored: Stored, card: number | undefined): Promise<Stored> {
    if (card === undefined || card === stored.operation.card) return stored;
    return (await store.change(stored, (present) => ({ ...present, card }))) ?? stored;
  }

  async function notifyOf(stored: Stored, finish?: Finish): Promise<Notified | undefined> {
    const { operation } = stored;
    if (operation.notified >= operation.revision) {
      await finish?.inParallel();
      return { stored, isDue: false };
    }
    // There is no outcome yet. An edit is enough, and nothing is lost if it fails.
    if (isInProgress(operation)) {
      await show(operation, 'edit');
      return { stored, isDue: false };
    }
    const needsMessage = operation.card === undefined || needsFollowUp(operation);
    const edited = needsMessage ? 'unplaced' : await showBy('edit', stored, finish);
    return edited === 'unplaced' ? notifyUnderLease(stored, finish) : edited;
  }

  /** Sends a new message under a lease, so that only one replica sends it. */
  async function notifyUnderLease(stored: Stored, finish?: Finish): Promise<Notified | undefined> {
    let notified: Notified | undefined;
    const result = await leases.withLease(keyOf(SENDING_RECEIPT.keys, stored.operation), async () => {
      // The previous lease holder may have notified the user.
      const present = await store.read(refOf(stored));
      if (present === undefined) return;
      const isNotified = present.operation.notified >= present.operation.revision;
      const isFollowUp =
        !isNotified && present.operation.card !== undefined && needsFollowUp(present.operation);
      if (isFollowUp && !(await followUpAttempts.begin(refOf(present)))) {
        notified = await notifyByEdit(present, finish);
        return;
      }
      const shown = isNotified ? await notifyOf(present, finish) : await showBy('send', present, finish);
      notified = shown === 'unplaced' ? await retryIn(present, BUSY_RETRY_MS) : shown;
      if (isFollowUp && notified?.isDue && !notified.isUnclear) await followUpAttempts.reset(refOf(present));
    });
    return result === 'busy' ? retryIn(stored, BUSY_RETRY_MS) : notified;
  }

  /** Edits only the receipt, because the follow-up was sent twice without a known result. */
  async function notifyByEdit(stored: Stored, finish?: Finish): Promise<Notified | undefined> {
    const { operation } = stored;
    await show(operation, 'edit');
    const [recorded] = await Promise.all([
      store.change(stored, (present) => ({ ...present, notified: operation.revision, late: false })),
      finish?.inParallel(),
    ]);
    return recorded && { stored: recorded, isDue: recorded.operation.notified < recorded.operation.revision };
  }

  async function showBy(
    may: 'edit' | 'send',
    stored: Stored,
    finish?: Finish,
  ): Promise<Notified | undefined | 'unplaced'> {
    const { operation } = stored;
    const shown = await show(operation, may);
    if (shown.kind === 'unplaced') return 'unplaced';
    if (shown.kind === 'later') {
      const { stored: moved, isDue } = await retryIn(await withCard(stored, shown.card), shown.afterMs);
      return { stored: moved, isDue, isUnclear: shown.isUnclear === true };
    }
    if (shown.kind === 'impossible') await undelivered.add(refOf(stored));
    // A sent message is recorded at once, without waiting for optional details.
    const detailed =
      may === 'edit' && shown.kind === 'shown' ? await withDetails(finish, operation) : undefined;
    const recordNotification = (present: Operation): Operation => {
      const { card, followUp = present.followUp } =
        shown.kind === 'shown' ? shown : { card: present.card, followUp: undefined };
      const withMessages = { ...present, card, ...(followUp !== undefined && { followUp }) };
      if (present.revision === operation.revision)
        return { ...withMessages, ...detailed, notified: operation.revision, late: false };
      // A change after this notification needs a follow-up, even if the card already shows it.
      const late = present.late || (shown.kind === 'shown' && looksDifferent(present, operation));
      const result = present.result && { ...present.result, ...balanceOf(detailed) };
      const newer = { ...withMessages, ...(result && { result }), late };
      // A newer state was shown in the meantime, and this one may have overwritten it. Show the newer one again.
      if (present.notified > operation.revision) return { ...newer, revision: present.revision + 1 };
      return { ...newer, notified: operation.revision };
    };
    const [recorded] = await Promise.all([store.change(stored, recordNotification), finish?.inParallel()]);
    if (recorded === undefined) return undefined;
    if (recorded.operation.notified >= recorded.operation.revision) return { stored: recorded, isDue: false };
    return may === 'send' ? showBy(may, recorded) : notifyOf(recorded);
  }

  /** Returns the optional details if the receipt shows them now. */
  async function withDetails(
    finish: Finish | undefined,
    operation: Operation,
  ): Promise<Pick<Operation, 'result'> | undefined> {
    const detailed = await finish?.addDetails?.(operation);
    if (detailed === undefined || (await show(detailed, 'edit')).kind !== 'shown') return undefined;
    return { result: detailed.result };
  }

  async function notifyAgain(ref: OperationRef): Promise<void> {
    const present = await store.change(ref, (operation) =>
      isInProgress(operation) ? undefined : { ...operation, revision: operation.revision + 1 },
    );
    if (present) await notifyOf(present);
  }

  return {
    notify(known, finish) {
      const ref = refOf(known);
      // The caller's copy may be outdated when a queued notification starts.
      const fresh = 'record' in known && !queue.isBusy(nameOf(ref)) ? known : undefined;
      return queue.run(nameOf(ref), async () => {
        const stored = fresh ?? (await store.read(ref));
        return stored && notifyOf(stored, finish);
      });
    },
    showAgain: (ref) => queue.run(nameOf(ref), () => notifyAgain(ref)),
  };
}

/** Returns whether the user sees a different state or order status. */
function looksDifferent(left: Operation, right: Operation): boolean {
  return left.state !== right.state || left.result?.status !== right.result?.status;
}

function balanceOf(detailed: Pick<Operation, 'result'> | undefined) {
  const balanceLeft = detailed?.result?.balanceLeft;
  return balanceLeft === undefined ? {} : { balanceLeft };
}

function isInProgress({ state }: Operation): boolean {
  return state === 'claimed' || state === 'sent';
}

/** TTL of an empty list. */
const EMPTY_TTL_MS = 60_000;
/** Maximum undelivered outcomes of a user, so that one update can deliver all of them. The latest are kept. */
const MAX_UNDELIVERED = 5;

/** Ids of the operations. */
const undeliveredSchema = z.array(z.string());

export const UNDELIVERED = defineRecord({
  keys: 'undelivered:{user}',
  content: "Outcomes that couldn't be delivered",
  schema: undeliveredSchema,
  ttlMs: (ids) => (ids.length > 0 ? OPERATION_TTL_MS : EMPTY_TTL_MS),
  expiry: '90 days',
  signed: false,
  retained: { own: 'kept-money' },
});

/** Outcomes that Telegram didn't deliver, because the user blocked the bot for example. */
export interface UndeliveredOutcomes {
  add(ref: OperationRef): Promise<void>;
  of(user: number): Promise<OperationRef[]>;
  remove(ref: OperationRef): Promise<void>;
}

export function createUndeliveredOutcomes({ records }: { records: SignedRecords }): UndeliveredOutcomes {
  const undelivered = records.store(UNDELIVERED);
  return {
    async add({ user, id }) {
      await undelivered.update({ user }, (ids = []) =>
        [...ids.filter((other) => other !== id), id].slice(-MAX_UNDELIVERED),
      );
    },
    of: async (user) => ((await undelivered.get({ user })) ?? []).map((id) => ({ user, id })),
    async remove({ user, id }) {
      await undelivered.update({ user }, (ids = []) => ids.filter((other) => other !== id));
    },
  };
}

/**
 * Notifies a user who has come back of undelivered outcomes (see {@link UndeliveredOutcomes}). Each one is sent once, as a follow-up
 * to its receipt.
 */
export type NotifyUndelivered = (refs: readonly OperationRef[]) => Promise<void>;

export function createNotifyUndelivered(deps: {
  undelivered: Pick<UndeliveredOutcomes, 'remove'>;
  store: OperationStore;
  recheckSchedule: RecheckSchedule;
  notify: Notify;
}): NotifyUndelivered {
  const { undelivered, store, recheckSchedule, notify } = deps;
  return async (refs) => {
    for (const ref of refs) {
      await store.change(ref, ({ followUp: _, ...present }) => {
        const isDue = present.late && present.notified < present.revision;
        return isDue ? undefined : revised(present, { late: true });
      });
      // Scheduled before the entry is removed, so that the user is notified even if this process ends.
      await recheckSchedule.scheduleIn(ref, 0);
      await undelivered.remove(ref);
      await notify(ref);
    }
  };
}

const MAX_FOLLOW_UPS = 2;
/** TTL of a count, in milliseconds. Longer than any retry. */
const FOLLOW_UP_TTL_MS = 24 * 3600_000;

export const FOLLOW_UP_ATTEMPT = {
  keys: 'follow-up-attempt:{user}:id:number',
  content: 'The first or second follow-up below a receipt was started',
  expiry: '1 day',
  retained: { own: 'kept-money' },
} as const satisfies StoredData;

/**
 * Counts follow-up sends without a known result: the process ended, or Telegram's response was lost. Each of them may
 * have been delivered, so there are at most two.
 */
interface FollowUpAttempts {
  /** Counts a send. Returns `false` if two sends have no known result. */
  begin(ref: OperationRef): Promise<boolean>;
  /** Resets the count. Call if the follow-up was certainly not delivered. */
  reset(ref: OperationRef): Promise<void>;
}

/** Returns whether a follow-up is needed and doesn't exist yet. */
function needsFollowUp({ late, followUp }: Pick<Operation, 'late' | 'followUp'>): boolean {
  return late && followUp === undefined;
}

export function createFollowUpAttempts({
  storage,
}: {
  storage: Pick<Storage, 'add' | 'delete'>;
}): FollowUpAttempts {
  const keysOf = ({ user, id }: OperationRef) =>
    Array.from({ length: MAX_FOLLOW_UPS }, (_, at) =>
      keyOf(FOLLOW_UP_ATTEMPT.keys, { user, id, number: at + 1 }),
    );
  return {
    async begin(ref) {
      for (const key of keysOf(ref))
        if (await storage.add(key, randomUUID(), { ttlMs: FOLLOW_UP_TTL_MS })) return true;
      return false;
    },
    async reset(ref) {
      await Promise.all(keysOf(ref).map((key) => storage.delete(key)));
    },
  };
}
