import type { Storage } from '../storage/storage.ts';
import type { Turns } from '../storage/turns.ts';
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
/** Whoever takes one up has this long before another does. */
const TAKEN_MS = 10_000;
const ELSEWHERE_MS = 2_000;
/** So many of its chats are shown it at once: one that is slow, or fails, holds up no other. */
const AT_ONCE = 5;
/** An invoice that is stale is checked again after this time. */
const RECHECK_MS = 10_000;

/** A payable card without its QR code gets it within this time after Telegram takes pictures again. */
const PICTURE_AGAIN_MS = 60_000;

/**
 * What became of a card: where it stands now, whether it is without its picture, and what was told below it. `gone`: this chat can't be shown anything any
 * more; `later`: Telegram is away, or wants to be left alone.
 */
export type ShownInvoice = {
  message?: number | undefined;
  isText?: true | undefined;
  news?: number | undefined;
  told?: string;
} & ({ kind: 'shown' | 'gone' } | { kind: 'later'; afterMs: number });

/** Shows an invoice in one of its chats: handed in, since chats are no business of this room. */
export type ShowInvoice = (invoice: CheckedInvoice, card: InvoiceCard) => Promise<ShownInvoice>;

export interface InvoiceShows {
  /** Whatever becomes of whoever is about to change it, its cards are shown as it stands then. */
  within(ref: InvoiceRef): Promise<void>;
  /** Its cards are shown as it stands, soon. */
  soon(ref: InvoiceRef): Promise<void>;
  /** Brings all cards of an invoice up to date. May run anywhere, also twice at once. */
  show(ref: InvoiceRef): Promise<void>;
  /** Hands on what came due. */
  run(): Promise<void>;
}

export function createInvoiceShows(deps: {
  store: InvoiceStore;
  storage: Pick<Storage, 'index'>;
  turns: Turns;
  /** Checks an invoice with the service before a card shows it as payable. */
  check: (invoice: Invoice) => Promise<CheckedInvoice>;
  showCard: ShowInvoice;
  /** Has `show` run for it, here or on another replica. */
  hand: (ref: InvoiceRef) => Promise<unknown>;
  now: () => number;
}): InvoiceShows {
  const { store, turns, check, showCard, hand, now } = deps;
  const { index } = deps.storage;
  const nameOf = ({ user, id }: InvoiceRef) => `${user}/${id}`;
  const showIn = (ref: InvoiceRef, ms: number) => index.putIn(DUE, nameOf(ref), ms);

  const isSame = (one: InvoiceCard, other: InvoiceCard) =>
    one.chat === other.chat && one.message === other.message;

  /** Answers in how many milliseconds it is to be tried again; none where that isn't needed. */
  async function bring(invoice: CheckedInvoice, card: InvoiceCard): Promise<number[]> {
    const face = faceOf(invoice, now(), card);
    const standing = shownStandingOf(invoice, now());
    const againMs = standing === 'stale' ? [RECHECK_MS] : [];
    // A payable card isn't taken back only because the service doesn't answer: it was checked when it was sent.
    if (isUpToDate(invoice, card) || (standing === 'stale' && showsCode(card.shown))) return againMs;
    const { kind, message, isText, news, told, ...rest } = await showCard(invoice, card);
    await store.change(invoice, (present) => ({
      ...present,
      cards: present.cards.flatMap((one) => {
        if (!isSame(one, card)) return [one];
        if (kind === 'gone') return [];
        const { isText: _, ...before } = one;
        const placed = {
          ...before,
          ...(message && { message }),
          ...(isText && { isText }),
          ...(news && { news }),
          ...(told !== undefined && { told }),
        };
        return [kind === 'shown' ? { ...placed, shown: face } : placed];
      }),
    }));
    if ('afterMs' in rest) againMs.push(rest.afterMs);
    if (isText && isPayable(standing)) againMs.push(PICTURE_AGAIN_MS);
    return againMs;
  }

  function isUpToDate(invoice: CheckedInvoice, card: InvoiceCard): boolean {
    const lacksCode = card.isText === true && isPayable(shownStandingOf(invoice, now()));
    return card.shown === faceOf(invoice, now(), card) && card.told === invoice.status && !lacksCode;
  }

  /** New cards have the service asked. An edit waits for the next scheduled read. */
  async function upToDate(invoice: Invoice): Promise<CheckedInvoice> {
    if (!needsCheck(invoice, now())) return invoice;
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
        waits.push(TAKEN_MS);
      }
      return next();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    await mark(ref, (await store.read(ref)) ?? invoice, waits);
    if (failures.length > 0) throw failures[0];
  }

  /** When it is to be shown again. */
  async function mark(ref: InvoiceRef, present: Invoice, waits: number[]): Promise<void> {
    const isBehind = present.cards.some((card) => card.shown !== faceOf(present, now(), card));
    const changesAt = nextStandingAt(present, now());
    const times = changesAt === undefined ? waits : [...waits, changesAt - now()];
    if (waits.length === 0 && isBehind) await showIn(ref, 0);
    else if (times.length > 0) await showIn(ref, Math.min(...times));
    else await index.remove(DUE, nameOf(ref));
    // Who changed it in between has left a mark that may just have been taken away.
    const later = await store.read(ref);
    if (later !== undefined && shownOf(later) !== shownOf(present)) await showIn(ref, 0);
  }

  return {
    within: (ref) => index.putWithin(DUE, nameOf(ref), TAKEN_MS),
    async soon(ref) {
      await showIn(ref, 0);
      // Where the queue is away, the next run finds it.
      await hand(ref).catch(() => undefined);
    },
    async show(ref) {
      await showIn(ref, TAKEN_MS);
      const turn = await turns.take(`showing-invoice:{${ref.user}}:${ref.id}`, () => showAll(ref));
      if (turn === 'busy') await showIn(ref, ELSEWHERE_MS);
    },
    async run() {
      for (;;) {
        const due = await index.due(DUE, BATCH);
        for (const name of due) {
          const [user, id = ''] = name.split('/');
          const ref = { user: Number(user), id };
          await showIn(ref, TAKEN_MS);
          await hand(ref);
        }
        if (due.length < BATCH) return;
      }
    },
  };
}

/** All of it but when and how often the service was asked. */
function shownOf({ looks: _, askedAt: _askedAt, checkedAt: _checkedAt, ...shown }: Invoice): string {
  return JSON.stringify(shown);
}
