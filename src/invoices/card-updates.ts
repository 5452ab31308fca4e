import { MINUTE_MS, SECOND_MS } from '../platform/clock.ts';
import { createDueQueue, defineDueQueue } from '../platform/due-queue.ts';
import { createDueWork } from '../platform/due-work.ts';
import { defineLease, type Leases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import { keyOf } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { INVOICE_LIFETIME_MS } from '../rental-api/tron.ts';
import {
  type CheckedInvoice,
  cardFingerprint,
  cardStateOf,
  hasQrCode,
  type Invoice,
  type InvoiceCard,
  type InvoiceRef,
  isPayable,
  isStatusKnown,
  needsCheck,
  nextStateChangeAt,
  reportedStatus,
} from './invoice.ts';
import type { InvoiceStore } from './invoice-store.ts';

const CARD_UPDATES = defineDueQueue({
  keys: 'invoice-card-updates',
  ref: { user: 'number', id: 'string' },
  longestMs: INVOICE_LIFETIME_MS,
  content: "When each invoice's cards are updated next",
  expiry: 'none: a single key; unchanging invoices are removed',
  retained: { elsewhere: 'kept-under-way' },
});

const CARD_UPDATE_LEASE = defineLease({
  keys: 'updating-invoice-cards:{user}:id',
  content: 'Lease of the process that updates the cards of an invoice',
  retained: { own: 'kept-under-way' },
});

export const CARD_UPDATE_DATA = [CARD_UPDATE_LEASE, CARD_UPDATES] as const;

/** Interval at which due updates are started, in milliseconds. New ones are started at once regardless. */
export const UPDATE_RUN_MS = 3 * SECOND_MS;
/** Time until a started update comes due again, in case its process dies, in milliseconds. */
const LEASE_MS = 10_000;
/** Delay if another process is updating the cards, in milliseconds. */
const BUSY_MS = 2_000;
/** Maximum chats of an invoice that are updated at once. A slow or failing chat doesn't block the others. */
const CONCURRENCY = 5;
const MAX_SENDING = 100;
/** Delay until a stale invoice is checked again, in milliseconds. */
const RECHECK_MS = 10_000;
/** Interval of attempts to add the QR code to a payable card that was sent as text, in milliseconds. */
const PICTURE_RETRY_MS = MINUTE_MS;

/**
 * Result of a card update. `isText`: the message lacks the picture. `followUp`: message id of the reply below
 * the card. `notifiedStatus`: status that this reply reports. `gone`: the chat no longer accepts messages.
 * `exhausted`: two new cards may have been sent, and no further one is sent for this status. `later`: Telegram didn't
 * accept the card for now; with `isUnclear` it may have been sent or edited nevertheless, and with `isLost` a new message
 * is needed.
 */
export type CardUpdateResult = {
  message?: number | undefined;
  isText?: true | undefined;
  followUp?: number | undefined;
  notifiedStatus?: string;
} & (
  | { kind: 'updated' | 'gone' | 'exhausted' }
  | { kind: 'later'; afterMs: number; isUnclear?: true; isLost?: true }
);

/** Sends or edits an invoice's card in one chat. Injected, because this module doesn't know about chats. */
export type UpdateCard = (invoice: CheckedInvoice, card: InvoiceCard) => Promise<CardUpdateResult>;

export function createCardUpdates(deps: {
  store: InvoiceStore;
  storage: Pick<Storage, 'index'>;
  leases: Leases;
  /** Checks an invoice with the service before a card shows it as payable. */
  check: (invoice: Invoice) => Promise<CheckedInvoice>;
  updateCard: UpdateCard;
  dataSince: () => Promise<number>;
  now: () => number;
  log: Log;
}) {
  const { store, storage, leases, check, updateCard, dataSince, now, log } = deps;
  const queue = createDueQueue(CARD_UPDATES, { storage });

  /** Updates a card if needed. Returns the delays until its next updates, in milliseconds. */
  async function bringUpToDate(invoice: CheckedInvoice, card: InvoiceCard): Promise<number[]> {
    const state = cardStateOf(invoice, now(), card);
    // A payable card stays if only the service doesn't respond: it was checked when the card was sent.
    const staysPayable = state === 'stale' && hasQrCode(card.fingerprint);
    if (isUpToDate(invoice, card) || staysPayable) return state === 'stale' ? [RECHECK_MS] : [];
    const isNewPayable = card.message === undefined && isPayable(state);
    if (!isNewPayable || !(await beginSend(invoice, card.chat)))
      return (await showAndStore(invoice, card)).delaysMs;
    // The chat may have a payable card already, so this one becomes payable once its message id is recorded.
    const sent = await showAndStore({ ...invoice, isStale: true }, card);
    return sent.card.message === undefined ? sent.delaysMs : bringUpToDate(invoice, sent.card);
  }

  async function showAndStore(invoice: CheckedInvoice, card: InvoiceCard) {
    const fingerprint = cardFingerprint(invoice, now(), card);
    const state = cardStateOf(invoice, now(), card);
    const result = await updateCard(invoice, card);
    const { kind, message, isText, followUp, notifiedStatus } = result;
    const isLost = kind === 'later' && result.isLost === true;
    const withResult = ({ isText: _, message: present, ...before }: InvoiceCard): InvoiceCard => ({
      ...before,
      ...(present && !isLost && { message: present }),
      ...(message && { message }),
      ...(isText && { isText }),
      ...(followUp && { followUp }),
      ...(notifiedStatus !== undefined && { notifiedStatus }),
      // A card that isn't sent again needs no update until the invoice changes.
      ...(kind === 'exhausted' && {
        fingerprint: cardFingerprint({ ...invoice, isStale: false }, now(), card),
      }),
      ...(kind === 'updated' && { fingerprint }),
    });
    const isUnclear = kind === 'later' && result.isUnclear === true;
    // The chat may have a payable card with an unknown id, from this attempt or from an earlier one.
    const mayBeSent = message === undefined && (state === 'stale' || kind === 'exhausted' || isUnclear);
    const isSameCard = ({ chat, message: id }: InvoiceCard) => chat === card.chat && id === card.message;
    /** After an edit without a response, or beside another process's edit, the card's content is unknown: it is shown again. */
    const merged = (stored: InvoiceCard): InvoiceCard => {
      const { fingerprint: shown, ...rest } = withResult(stored);
      const isKnown = !isUnclear && stored.fingerprint === card.fingerprint;
      return isKnown ? { ...rest, fingerprint: shown } : rest;
    };
    await store.update(invoice, (present) => {
      const remaining =
        kind === 'gone' ? present.cards.filter((stored) => !isSameCard(stored)) : present.cards;
      return {
        ...(mayBeSent ? present : withoutSend(present, card.chat)),
        cards: remaining.map((one) => (isSameCard(one) ? merged(one) : one)),
      };
    });
    const delaysMs: number[] = [];
    if (result.kind === 'later') delaysMs.push(result.afterMs);
    if (state === 'stale' && kind !== 'exhausted') delaysMs.push(RECHECK_MS);
    if (isText && isPayable(state)) delaysMs.push(PICTURE_RETRY_MS);
    return { card: withResult(card), delaysMs };
  }

  /**
   * Records that a payable card is about to be sent to a chat. Returns true if the result of an earlier send
   * is unknown. That card can't be edited, so a new one must not be payable until its message id is recorded.
   */
  async function beginSend(ref: InvoiceRef, chat: number): Promise<boolean> {
    let isUnclear = false;
    await store.update(ref, (present) => {
      const { sending = [] } = present;
      isUnclear = sending.includes(chat);
      return isUnclear ? undefined : { ...present, sending: [...sending, chat].slice(-MAX_SENDING) };
    });
    return isUnclear;
  }

  function isUpToDate(invoice: CheckedInvoice, card: InvoiceCard): boolean {
    const lacksQrCode = card.isText === true && isPayable(cardStateOf(invoice, now(), card));
    const isSame = card.fingerprint === cardFingerprint(invoice, now(), card);
    return isSame && isStatusKnown(card, reportedStatus(invoice, now())) && !lacksQrCode;
  }

  /** Checks the invoice with the service if a new card needs it. Edits wait for the next scheduled poll. */
  async function checked(invoice: Invoice): Promise<CheckedInvoice> {
    if (!needsCheck(invoice, now(), await dataSince())) return invoice;
    const hasNewCard = invoice.cards.some(({ fingerprint }) => fingerprint === undefined);
    return hasNewCard ? check(invoice) : { ...invoice, isStale: true };
  }

  async function updateAll(ref: InvoiceRef): Promise<void> {
    const stored = await store.read(ref);
    if (stored === undefined) return queue.remove(ref);
    const isOutdated = stored.cards.some((card) => !isUpToDate(stored, card));
    const invoice = isOutdated ? await checked(stored) : stored;
    const delaysMs: number[] = [];
    const failures: unknown[] = [];
    const pending = [...invoice.cards];
    async function updatePending(): Promise<void> {
      for (let card = pending.shift(); card !== undefined; card = pending.shift()) {
        try {
          delaysMs.push(...(await bringUpToDate(invoice, card)));
        } catch (err) {
          failures.push(err);
          delaysMs.push(LEASE_MS);
        }
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, updatePending));
    await scheduleNext(ref, (await store.read(ref)) ?? invoice, delaysMs);
    if (failures.length > 0) throw failures[0];
  }

  async function scheduleNext(ref: InvoiceRef, present: Invoice, delaysMs: number[]): Promise<void> {
    const isOutdated = present.cards.some(
      (card) => card.fingerprint !== cardFingerprint(present, now(), card),
    );
    const changesAt = nextStateChangeAt(present, now());
    const nextMs = changesAt === undefined ? delaysMs : [...delaysMs, changesAt - now()];
    if (delaysMs.length === 0 && isOutdated) await queue.scheduleIn(ref, 0);
    else if (nextMs.length > 0) await queue.scheduleIn(ref, Math.min(...nextMs));
    else await queue.remove(ref);
    // A concurrent change may have scheduled an update that was just removed.
    const later = await store.read(ref);
    if (later !== undefined && cardContentOf(later) !== cardContentOf(present))
      await queue.scheduleIn(ref, 0);
  }

  /** Updates all cards of an invoice. Safe to call on any replica and concurrently. */
  async function update(ref: InvoiceRef): Promise<void> {
    await queue.scheduleIn(ref, LEASE_MS);
    const result = await leases.withLease(keyOf(CARD_UPDATE_LEASE.keys, ref), () => updateAll(ref));
    if (result === 'busy') await queue.scheduleIn(ref, BUSY_MS);
  }

  const dueWork = createDueWork({
    queue,
    work: update,
    leaseMs: LEASE_MS,
    failureMessage: "updating an invoice's cards failed; it will be retried",
    log,
  });

  return {
    beginSend,
    /** Removes the mark of `beginSend` for a card that wasn't sent. */
    async cancelSend(ref: InvoiceRef, chat: number): Promise<void> {
      await store.update(ref, (present) => withoutSend(present, chat));
    },
    /** Schedules a card update within ten seconds. Call before a change, in case the process dies. */
    scheduleUpdate: (ref: InvoiceRef) => queue.scheduleNoLaterThan(ref, LEASE_MS),
    /** Starts an update of the cards. Resolves once it is certain to happen. */
    updateSoon: (ref: InvoiceRef) => dueWork.add(ref),
    update,
    startDue: dueWork.startDue,
    close: dueWork.close,
  };
}

export function withoutSend({ sending = [], ...invoice }: Invoice, chat: number): Invoice {
  const others = sending.filter((sendingChat) => sendingChat !== chat);
  return { ...invoice, ...(others.length > 0 && { sending: others }) };
}

function cardContentOf(invoice: Invoice): string {
  const content = { ...invoice, failedPolls: 0, changeExpectedAt: 0, askedAt: 0, checkedAt: 0 };
  return JSON.stringify(content);
}
