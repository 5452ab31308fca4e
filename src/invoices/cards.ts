import type { Leases } from '../platform/leases.ts';
import type { Storage } from '../platform/storage.ts';
import {
  type CheckedInvoice,
  faceOf,
  type Invoice,
  type InvoiceCard,
  type InvoiceRef,
  isPayable,
  needsCheck,
  nextStandingAt,
  shownStandingOf,
  showsCode,
} from './invoice.ts';
import type { InvoiceStore } from './invoice-store.ts';

const DUE = 'invoices:shown';
const BATCH = 100;
/** Lease of a due invoice, in milliseconds. */
const LEASE_MS = 10_000;
const ELSEWHERE_MS = 2_000;
/** Maximum number of an invoice's chats that are updated at once. A slow or failing chat doesn't block the others. */
const CONCURRENCY = 5;
/** Maximum number of chats in `sending`. */
const MAX_SENDING = 100;
/** Delay until a stale invoice is checked again, in milliseconds. */
const RECHECK_MS = 10_000;

/** Interval of attempts to add the QR code to a payable card that was sent as text, in milliseconds. */
const PICTURE_RETRY_MS = 60_000;

/**
 * Result of showing a card. `isText`: the message lacks the picture. `news`: message id of the reply below the card.
 * `told`: status that the reply reports. `gone`: the chat no longer accepts messages. `later`: Telegram didn't accept
 * the card for now; with `isUnclear` a new card may have been sent nevertheless.
 */
export type ShownInvoice = {
  message?: number | undefined;
  isText?: true | undefined;
  news?: number | undefined;
  told?: string;
  perhapsTold?: string;
} & ({ kind: 'shown' | 'gone' } | { kind: 'later'; afterMs: number; isUnclear?: true });

/** Shows an invoice in one of its chats. Injected, because this module doesn't know about chats. */
export type ShowInvoice = (invoice: CheckedInvoice, card: InvoiceCard) => Promise<ShownInvoice>;

export interface InvoiceShows {
  /**
   * Records that a payable card is about to be sent to a chat. Returns true if the result of an earlier send is unknown. The
   * chat may then have a card that can't be edited, so the new card must not be payable until its message id is recorded.
   */
  beginSend(ref: InvoiceRef, chat: number): Promise<boolean>;
  /** Removes the mark of `beginSend` for a card that wasn't sent. */
  cancelSend(ref: InvoiceRef, chat: number): Promise<void>;
  /**
   * Schedules an update of the cards within ten seconds. Call before a change: if the process dies, the cards are still
   * updated.
   */
  within(ref: InvoiceRef): Promise<void>;
  /** Schedules an immediate update of the cards. */
  soon(ref: InvoiceRef): Promise<void>;
  /** Updates all cards of an invoice. Safe to call on any replica and concurrently. */
  show(ref: InvoiceRef): Promise<void>;
  /** Passes invoices with due updates to `hand`. */
  run(): Promise<void>;
}

export function createInvoiceShows(deps: {
  store: InvoiceStore;
  storage: Pick<Storage, 'index'>;
  leases: Leases;
  /** Checks an invoice with the service before a card shows it as payable. */
  check: (invoice: Invoice) => Promise<CheckedInvoice>;
  showCard: ShowInvoice;
  /** Queues `show` for the invoice, on this or another replica. */
  hand: (ref: InvoiceRef) => Promise<unknown>;
  dataSince: () => Promise<number>;
  now: () => number;
}): InvoiceShows {
  const { store, leases, check, showCard, hand, dataSince, now } = deps;
  const { index } = deps.storage;
  const nameOf = ({ user, id }: InvoiceRef) => `${user}/${id}`;
  const scheduleIn = (ref: InvoiceRef, ms: number) => index.scheduleIn(DUE, nameOf(ref), ms);

  const isSame = (one: InvoiceCard, other: InvoiceCard) =>
    one.chat === other.chat && one.message === other.message;

  /** Updates a card. Returns the delays until it must be updated again, in milliseconds; empty if that isn't needed. */
  async function bring(invoice: CheckedInvoice, card: InvoiceCard): Promise<number[]> {
    const standing = shownStandingOf(invoice, now());
    // A payable card stays if only the service doesn't respond: the invoice was checked when the card was sent.
    const isKept = standing === 'stale' && showsCode(card.shown);
    if (isUpToDate(invoice, card) || isKept) return standing === 'stale' ? [RECHECK_MS] : [];
    const isNew = card.message === undefined && isPayable(standing);
    if (!isNew || !(await beginSend(invoice, card.chat))) return (await showIn(invoice, card)).againMs;
    // The chat may have a payable card already: this one becomes payable only once its message id is recorded.
    const placed = await showIn({ ...invoice, isStale: true }, card);
    return placed.card.message === undefined ? placed.againMs : bring(invoice, placed.card);
  }

  /** Shows the current state of the invoice on the card and stores the result. */
  async function showIn(invoice: CheckedInvoice, card: InvoiceCard) {
    const face = faceOf(invoice, now(), card);
    const standing = shownStandingOf(invoice, now());
    const { kind, message, isText, news, told, perhapsTold, ...rest } = await showCard(invoice, card);
    const withResult = ({ isText: _, ...before }: InvoiceCard): InvoiceCard => ({
      ...before,
      ...(message && { message }),
      ...(isText && { isText }),
      ...(news && { news }),
      ...(told !== undefined && { told }),
      ...(perhapsTold !== undefined && { perhapsTold }),
      ...(kind === 'shown' && { shown: face }),
    });
    const isUnclear = 'isUnclear' in rest;
    await store.change(invoice, (present) => ({
      ...(isUnclear ? present : withoutSend(present, card.chat)),
      cards: present.cards.flatMap((one) => {
        if (!isSame(one, card)) return [one];
        return kind === 'gone' ? [] : [withResult(one)];
      }),
    }));
    const againMs = [
      ...('afterMs' in rest ? [rest.afterMs] : []),
      ...(standing === 'stale' ? [RECHECK_MS] : []),
      ...(isText && isPayable(standing) ? [PICTURE_RETRY_MS] : []),
    ];
    return { card: withResult(card), againMs };
  }

  async function beginSend(ref: InvoiceRef, chat: number): Promise<boolean> {
    let isUnclear = false;
    await store.change(ref, (present) => {
      const { sending = [] } = present;
      isUnclear = sending.includes(chat);
      return isUnclear ? undefined : { ...present, sending: [...sending, chat].slice(-MAX_SENDING) };
    });
    return isUnclear;
  }

  function isUpToDate(invoice: CheckedInvoice, card: InvoiceCard): boolean {
    const lacksCode = card.isText === true && isPayable(shownStandingOf(invoice, now()));
    return card.shown === faceOf(invoice, now(), card) && card.told === invoice.status && !lacksCode;
  }

  /** Checks the invoice at the service if a new card needs it. Edits wait for the next scheduled check. */
  async function upToDate(invoice: Invoice): Promise<CheckedInvoice> {
    if (!needsCheck(invoice, now(), await dataSince())) return invoice;
    const isNew = invoice.cards.some(({ message }) => message === undefined);
    return isNew ? check(invoice) : { ...invoice, isStale: true };
  }

  async function showAll(ref: InvoiceRef): Promise<void> {
    const read = await store.read(ref);
    if (read === undefined) return index.remove(DUE, nameOf(ref));
    const isBehind = read.cards.some((card) => !isUpToDate(read, card));
    const invoice = isBehind ? await upToDate(read) : read;
    const waits: number[] = [];
    const failures: unknown[] = [];
    const left = [...invoice.cards];
    const next = async (): Promise<void> => {
      const card = left.shift();
      if (card === undefined) return;
      try {
        waits.push(...(await bring(invoice, card)));
      } catch (err) {
        failures.push(err);
        waits.push(LEASE_MS);
      }
      return next();
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, next));
    await mark(ref, (await store.read(ref)) ?? invoice, waits);
    if (failures.length > 0) throw failures[0];
  }

  /** Schedules the next update of the cards. */
  async function mark(ref: InvoiceRef, present: Invoice, waits: number[]): Promise<void> {
    const isBehind = present.cards.some((card) => card.shown !== faceOf(present, now(), card));
    const changesAt = nextStandingAt(present, now());
    const times = changesAt === undefined ? waits : [...waits, changesAt - now()];
    if (waits.length === 0 && isBehind) await scheduleIn(ref, 0);
    else if (times.length > 0) await scheduleIn(ref, Math.min(...times));
    else await index.remove(DUE, nameOf(ref));
    // A concurrent change may have scheduled an update that was just removed.
    const later = await store.read(ref);
    if (later !== undefined && shownOf(later) !== shownOf(present)) await scheduleIn(ref, 0);
  }

  return {
    beginSend,
    async cancelSend(ref, chat) {
      await store.change(ref, (present) => withoutSend(present, chat));
    },
    within: (ref) => index.scheduleNoLaterThan(DUE, nameOf(ref), LEASE_MS),
    async soon(ref) {
      await scheduleIn(ref, 0);
      // If the queue is unavailable, the next run finds the invoice.
      await hand(ref).catch(() => undefined);
    },
    async show(ref) {
      await scheduleIn(ref, LEASE_MS);
      const turn = await leases.withLease(`showing-invoice:{${ref.user}}:${ref.id}`, () => showAll(ref));
      if (turn === 'busy') await scheduleIn(ref, ELSEWHERE_MS);
    },
    async run() {
      for (;;) {
        const due = await index.due(DUE, BATCH);
        for (const name of due) {
          const [user, id = ''] = name.split('/');
          const ref = { user: Number(user), id };
          // Malformed members would stay due and block the queue.
          if (nameOf(ref) !== name) {
            await index.remove(DUE, name);
            continue;
          }
          await scheduleIn(ref, LEASE_MS);
          await hand(ref);
        }
        if (due.length < BATCH) return;
      }
    },
  };
}

/** Returns the invoice without the mark that a card is being sent to this chat. */
export function withoutSend({ sending = [], ...invoice }: Invoice, chat: number): Invoice {
  const others = sending.filter((one) => one !== chat);
  return { ...invoice, ...(others.length > 0 && { sending: others }) };
}

/** Returns the invoice as text, without the fields that don't affect cards. */
function shownOf({ looks: _, askedAt: _askedAt, checkedAt: _checkedAt, ...shown }: Invoice): string {
  return JSON.stringify(shown);
}
