// Notifies users of their operations: the receipt, follow-ups, and outcomes that couldn't be delivered at first.

import { z } from 'zod';
import { createKeyedQueue } from '../platform/async.ts';
import { type AttemptedMessage, createMessageAttempts } from '../platform/attempts.ts';
import { isRecent } from '../platform/clock.ts';
import { defineLease } from '../platform/leases.ts';
import { defineRecord, keyOf, type StoredData } from '../platform/records.ts';
import type { OperationServices } from './dependencies.ts';
import { watchedOrder } from './evidence.ts';
import {
  isInProgress,
  isUpToDate,
  type Known,
  nameOf,
  OPERATION_TTL_MS,
  type Operation,
  type OperationRef,
  refOf,
  revised,
  type StoredOperation,
  withNews,
} from './operation.ts';
import { nextCheckMs } from './refund.ts';

const SENDING_RECEIPT = defineLease({
  keys: 'sending-receipt:{user}:id',
  content: "Lease of the process that sends the operation's message",
  retained: { own: 'kept-under-way' },
});

/** TTL of an empty list. */
const EMPTY_TTL_MS = 60_000;
/** Maximum undelivered outcomes of a user, so that one update can deliver all of them. The latest are kept. */
const MAX_UNDELIVERED = 5;

const UNDELIVERED = defineRecord({
  keys: 'undelivered:{user}',
  content: "Outcomes that couldn't be delivered",
  /** Ids of the operations. */
  schema: z.array(z.string()),
  ttlMs: (ids) => (ids.length > 0 ? OPERATION_TTL_MS : EMPTY_TTL_MS),
  expiry: '90 days',
  signed: false,
  retained: { own: 'kept-money' },
});

/** Duration of an edit from which another replica may have shown an outcome in the meantime, in milliseconds. */
const SLOW_EDIT_MS = 1_000;

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
 * Shows the state of an operation to its user. The composition root injects it: this module doesn't depend on chats.
 * An edit may be repeated. New messages are sent only if `may` is `send`, because each repeated message would be
 * visible.
 */
export type Show = (operation: Operation, may: 'edit' | 'send') => Promise<Shown>;

/** Result of a notification: the current operation, and whether its user must still be notified. */
interface Notified {
  stored: StoredOperation;
  isDue: boolean;
  /** A follow-up was sent and may have been delivered. */
  isUnclear?: boolean;
}

/**
 * Notifies the user of changes since the last notification. Schedules a retry if that fails. Returns `undefined` if the
 * operation doesn't exist. `inParallel` runs beside the write that records the notification, unless the user must still
 * be notified.
 */
export type NotifyOfChanges = (
  known: Known,
  inParallel?: () => Promise<unknown>,
) => Promise<Notified | undefined>;

export interface Notifier {
  notifyOfChanges: NotifyOfChanges;
  /** Shows an outcome again, because an older state may have overwritten it. */
  showAgain(ref: OperationRef): Promise<void>;
  /** Returns the outcomes that Telegram didn't deliver, because the user blocked the bot for example. */
  undelivered(user: number): Promise<OperationRef[]>;
  /** Notifies a user who has come back of undelivered outcomes, each once, as a follow-up to its receipt. */
  notifyUndelivered(refs: readonly OperationRef[]): Promise<void>;
}

export function createNotifier(services: OperationServices, show: Show): Notifier {
  const { leases, store, recheckSchedule, now } = services;
  const messageAttempts = createMessageAttempts(services);
  const undelivered = services.records.store(UNDELIVERED);
  const queue = createKeyedQueue<string>();

  async function retryIn(stored: StoredOperation, afterMs: number): Promise<Notified> {
    await recheckSchedule.scheduleIn(refOf(stored), afterMs);
    return { stored, isDue: true };
  }

  /**
   * Stores what an unfinished notification has changed: the id of a receipt that was sent again, even if its follow-up
   * couldn't be sent yet. If a newer state was shown in the meantime, Telegram may still have overwritten it with this
   * one, so the newer one is shown again.
   */
  async function recordUnfinished(
    stored: StoredOperation,
    card: number | undefined,
  ): Promise<StoredOperation> {
    const { revision } = stored.operation.receipt;
    // Read anew, because only the present record says what was shown in the meantime.
    const recorded = await store.change(refOf(stored), (present) => {
      const { receipt } = present;
      const isOverwritten = receipt.notified > revision;
      if (!isOverwritten && (card === undefined || card === receipt.card)) return undefined;
      const placed = { ...receipt, card: card ?? receipt.card };
      return { ...present, receipt: isOverwritten ? revised({ receipt: placed }) : placed };
    });
    return recorded ?? stored;
  }

  async function notifyOf(
    stored: StoredOperation,
    inParallel?: () => Promise<unknown>,
  ): Promise<Notified | undefined> {
    const { operation } = stored;
    if (isUpToDate(operation)) {
      await inParallel?.();
      return { stored, isDue: false };
    }
    // There is no outcome yet. An edit is enough, and nothing is lost if it fails.
    if (isInProgress(operation)) {
      const began = now();
      await show(operation, 'edit');
      if (isRecent(began, SLOW_EDIT_MS, now())) return { stored, isDue: false };
      // Another replica may have shown an outcome during a slow edit. Telegram may then have overwritten it.
      const recorded = await recordUnfinished(stored, undefined);
      return isInProgress(recorded.operation) ? { stored, isDue: false } : notifyOf(recorded);
    }
    // Sent before the write that takes the operation off the reconciler's schedule.
    const watched = watchedOrder(services.kinds, operation);
    const scheduling =
      watched &&
      services.refundSchedule.scheduleIfMissing(refOf(stored), nextCheckMs(services.kinds, watched, now()));
    const needsMessage = operation.receipt.card === undefined || operation.receipt.late;
    const [edited] = await Promise.all([
      needsMessage ? ('unplaced' as const) : showBy('edit', stored, inParallel),
      scheduling,
    ]);
    return edited === 'unplaced' ? notifyUnderLease(stored, inParallel) : edited;
  }

  /** Sends a new message under a lease, so that only one replica sends it. */
  async function notifyUnderLease(
    stored: StoredOperation,
    inParallel?: () => Promise<unknown>,
  ): Promise<Notified | undefined> {
    let notified: Notified | undefined;
    const result = await leases.withLease(keyOf(SENDING_RECEIPT.keys, stored.operation), async () => {
      // The previous lease holder may have notified the user.
      const present = await store.read(refOf(stored));
      if (present === undefined) return;
      const { operation } = present;
      if (isUpToDate(operation)) {
        notified = await notifyOf(present, inParallel);
        return;
      }
      const isFollowUp = operation.receipt.card !== undefined && operation.receipt.late;
      const send = () => showBy('send', present, inParallel);
      const shown = isFollowUp
        ? await messageAttempts.send(followUpOf(operation), { send, wasNotSent })
        : await send();
      if (shown === 'exhausted') notified = await notifyByEdit(present, inParallel);
      else notified = shown === 'unplaced' ? await retryIn(present, BUSY_RETRY_MS) : shown;
    });
    return result === 'busy' ? retryIn(stored, BUSY_RETRY_MS) : notified;
  }

  /**
   * Edits only the receipt, because the follow-up was sent twice without a known result. It is sent again when the user
   * returns.
   */
  async function notifyByEdit(
    stored: StoredOperation,
    inParallel?: () => Promise<unknown>,
  ): Promise<Notified | undefined> {
    const { operation } = stored;
    await show(operation, 'edit');
    await addUndelivered(operation);
    const [recorded] = await Promise.all([
      store.change(stored, (present) => ({
        ...present,
        receipt: { ...present.receipt, notified: operation.receipt.revision, late: false },
      })),
      inParallel?.(),
    ]);
    return recorded && { stored: recorded, isDue: !isUpToDate(recorded.operation) };
  }

  async function showBy(
    may: 'edit' | 'send',
    stored: StoredOperation,
    inParallel?: () => Promise<unknown>,
  ): Promise<Notified | undefined | 'unplaced'> {
    const { operation } = stored;
    const shown = await show(operation, may);
    if (shown.kind === 'unplaced') return 'unplaced';
    if (shown.kind === 'later') {
      const { stored: moved, isDue } = await retryIn(
        await recordUnfinished(stored, shown.card),
        shown.afterMs,
      );
      return { stored: moved, isDue, isUnclear: shown.isUnclear === true };
    }
    if (shown.kind === 'impossible') await addUndelivered(operation);
    const { revision } = operation.receipt;
    const receiptAfter = (present: Operation): Operation['receipt'] => {
      const { receipt } = present;
      const { card, followUp = receipt.followUp } = shown.kind === 'shown' ? shown : receipt;
      const placed = { ...receipt, card, followUp };
      if (shown.kind === 'shown') placed.shownAt = now();
      if (followUp !== undefined && followUp !== receipt.followUp)
        placed.sentFollowUps = [...(receipt.sentFollowUps ?? []), { message: followUp, at: now() }];
      if (receipt.revision === revision)
        return { ...placed, outdated: undefined, notified: revision, late: false };
      // A change after this notification needs a follow-up, even if the card already shows it.
      const late = receipt.late || (shown.kind === 'shown' && looksDifferent(present, operation));
      // A newer state was shown in the meantime, and this one may have overwritten it. Show the newer one again.
      const after = late ? withNews(placed) : placed;
      return receipt.notified > revision ? revised({ receipt: after }) : { ...after, notified: revision };
    };
    const recordNotification = (present: Operation) => ({ ...present, receipt: receiptAfter(present) });
    const [recorded] = await Promise.all([store.change(stored, recordNotification), inParallel?.()]);
    if (recorded === undefined) return undefined;
    if (isUpToDate(recorded.operation)) return { stored: recorded, isDue: false };
    return may === 'send' ? showBy(may, recorded) : notifyOf(recorded);
  }

  async function addUndelivered({ user, id }: OperationRef): Promise<void> {
    await undelivered.update({ user }, (ids = []) =>
      [...ids.filter((other) => other !== id), id].slice(-MAX_UNDELIVERED),
    );
  }

  async function notifyAgain(ref: OperationRef): Promise<void> {
    const present = await store.change(ref, (operation) =>
      isInProgress(operation) ? undefined : { ...operation, receipt: revised(operation) },
    );
    if (present) await notifyOf(present);
  }

  const notifyOfChanges: NotifyOfChanges = (known, inParallel) => {
    const ref = refOf(known);
    // The caller's copy may be outdated when a queued notification starts.
    const fresh = 'record' in known && !queue.isBusy(nameOf(ref)) ? known : undefined;
    return queue.run(nameOf(ref), async () => {
      const stored = fresh ?? (await store.read(ref));
      return stored && notifyOf(stored, inParallel);
    });
  };

  return {
    notifyOfChanges,
    showAgain: (ref) => queue.run(nameOf(ref), () => notifyAgain(ref)),
    undelivered: async (user) => ((await undelivered.get({ user })) ?? []).map((id) => ({ user, id })),
    async notifyUndelivered(refs) {
      for (const ref of refs) {
        await store.change(ref, (present) => {
          const isDue = present.receipt.late && !isUpToDate(present);
          const receipt = withNews(revised(present));
          return isDue ? undefined : { ...present, receipt };
        });
        const present = await store.read(ref);
        if (present) await messageAttempts.reset(followUpOf(present.operation));
        // Scheduled before the entry is removed, so that the user is notified even if this process ends.
        await recheckSchedule.scheduleIn(ref, 0);
        await undelivered.update({ user: ref.user }, (ids = []) => ids.filter((id) => id !== ref.id));
        await notifyOfChanges(ref);
      }
    },
  };
}

/** Returns whether the user sees a different state, order status, delivered amount or refund. */
function looksDifferent(left: Operation, right: Operation): boolean {
  if (left.state !== 'done' || right.state !== 'done') return left.state !== right.state;
  const [one, other] = [left.result, right.result];
  return (
    one.status !== other.status ||
    one.delivered !== other.delivered ||
    one.refunded !== other.refunded ||
    one.refund?.over !== other.refund?.over ||
    one.refund?.balance !== other.refund?.balance
  );
}

function followUpOf({ user, id, receipt }: Operation): AttemptedMessage {
  return { user, message: ['follow-up', id, receipt.followUps ?? 0].join('-') };
}

/** Returns whether the follow-up was certainly not delivered. */
function wasNotSent(shown: Notified | 'unplaced' | undefined): boolean {
  return shown === 'unplaced' || (shown?.isDue === true && !shown.isUnclear);
}

/** Everything that this file stores. */
export const RECEIPT_DATA: readonly StoredData[] = [SENDING_RECEIPT, UNDELIVERED];
