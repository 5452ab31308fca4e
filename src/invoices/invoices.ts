import { z } from 'zod';
import type { InvoiceMade } from '../operations/kinds/kind.ts';
import type { Operation } from '../operations/operation.ts';
import type { Seal } from '../platform/encryption.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { Leases } from '../platform/leases.ts';
import { createSharedRateLimiter } from '../platform/rate-limit.ts';
import { readJson, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { Rental } from '../rental-api/client.ts';
import { OPERATORS, type OperatorInvoices } from '../rental-api/operator-invoices.ts';
import { createInvoiceShows, type InvoiceShows, type ShowInvoice, withoutSend } from './cards.ts';
import { FOLLOWED_MS, type Invoice, type InvoiceCard, type InvoiceRef } from './invoice.ts';
import { createInvoiceStore, createUserInvoices, type UserInvoices } from './invoice-store.ts';
import { createGuestLimits, type GuestLimits } from './quotas.ts';
import { createShares, type Shares } from './share-links.ts';
import {
  createLinkChanges,
  createLookIndex,
  createPoller,
  type LinkChanges,
  type LookIndex,
  type Looks,
} from './tracking.ts';

/** Fields of an invoice request that this module needs. */
const wishSchema = z.object({
  address: z.string(),
  transfers: z.number().optional(),
  duration_hours: z.number(),
  shared: z.boolean().optional(),
  note: z.string().optional(),
});

const refSchema = z.object({ user: z.number(), id: z.string() });
/** Maximum number of cards in chats of users with the link. */
const MAX_CARDS = 100;

export interface Invoices {
  /** Stores the invoice that an operation has made, shows it to the user and tracks it. Safe to repeat. */
  open(operation: Operation): Promise<void>;
  read(ref: InvoiceRef): Promise<Invoice | undefined>;
  /** Lists and totals of a user's invoices. */
  readonly of: UserInvoices['of'];
  readonly page: UserInvoices['page'];
  readonly totals: UserInvoices['totals'];
  /** Updates a user's invoices when a link ends or is made. */
  readonly linkChanges: LinkChanges;
  readonly checkBeforePayment: Looks['checkBeforePayment'];
  /**
   * Records that a message shows the invoice, in place of the chat's previous one. Returns the cards that are no longer
   * updated.
   */
  placed(ref: InvoiceRef, card: InvoiceCard): Promise<InvoiceCard[]>;
  /** Records that a person has opened the link, and shows this to the user who made the invoice. */
  opened(ref: InvoiceRef): Promise<void>;
  /** Requests a check at the service soon, because a change is expected. */
  expect: Looks['expect'];
  /** Handles an event of the service about an invoice. */
  heard(account: number, number: number): Promise<void>;
  /** Returns why a guest's invoice is refused, or `undefined` if it is allowed. Counts an allowed invoice. */
  readonly admit: GuestLimits['admit'];
  readonly shares: Shares;
  readonly shows: InvoiceShows;
  readonly looks: Pick<Looks, 'run'>;
  /** Returns how long the most overdue check has been due, in milliseconds. */
  readonly overdueMs: LookIndex['overdueMs'];
}

export interface InvoicesDeps {
  storage: Storage;
  records: SignedRecords;
  seal: Seal;
  leases: Leases;
  rental: Pick<Rental, 'invoice'>;
  operatorInvoices: Pick<OperatorInvoices, 'read'> | undefined;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** Records that the user has made an invoice for another person. */
  sold: (user: number) => Promise<unknown>;
  isAdmin: (user: number) => boolean;
  /** Returns whether the operation has ended without making the invoice. */
  isNotMade: (ref: InvoiceRef) => Promise<boolean>;
  /** Notifies admins that the limit of all guests together has been reached. */
  tellAdmins: () => Promise<unknown>;
  showCard: ShowInvoice;
  hand: (ref: InvoiceRef) => Promise<unknown>;
  /** Returns when the present history of the stored data began, in epoch milliseconds. */
  dataSince: () => Promise<number>;
  now: () => number;
}

/**
 * Creates the module for invoices, which can be paid from any wallet. Invoices are tracked until their delivery, or
 * until a day after they expire.
 */
export function createInvoices(deps: InvoicesDeps): Invoices {
  const { storage, records, now } = deps;
  const store = createInvoiceStore({ records });
  const budget = createSharedRateLimiter({ storage, now });
  const guestLimits = createGuestLimits({ ...deps, budget });
  const lookIndex = createLookIndex({ storage });
  const shows = createInvoiceShows({
    ...{ ...deps, store },
    check: (invoice) => looks.checkBeforePayment(invoice),
  });
  const looks: Looks = createPoller({ ...deps, budget, store, lookIndex, changing, changed: shows.soon });
  const shares = createShares({ ...deps, store });
  const { add, ...ofUsers } = createUserInvoices({ ...deps, store });
  const numberKey = (account: number, number: number) => `invoice-number:${account}:${number}`;

  async function changing(invoice: Invoice): Promise<void> {
    const isOpen = invoice.status === 'pending' && !invoice.unchecked;
    if (!isOpen && invoice.account === OPERATORS) await guestLimits.close(invoice);
    await shows.within(invoice);
  }

  function invoiceOf(operation: Operation, number: number, made: InvoiceMade): Invoice {
    const { id, user, account, language, settledAt = now() } = operation;
    const { address, transfers, duration_hours: hours, shared, note } = wishSchema.parse(operation.request);
    return {
      ...{ id, user, account, number, address, hours, language },
      ...made,
      ...(transfers !== undefined && { transfers }),
      ...(note !== undefined && { note }),
      shared: shared === true,
      status: 'pending',
      createdAt: settledAt,
      looks: 0,
      cards: [{ chat: user, language, own: true }],
    };
  }

  return {
    async open(operation) {
      const { order: number, invoice: made } = operation.result ?? {};
      if (number === undefined || made === undefined) return;
      const invoice = await store.create(invoiceOf(operation, number, made));
      await shares.share(invoice);
      const { user, id, account } = invoice;
      const ref = { user, id };
      await Promise.all([
        storage.set(numberKey(account, number), JSON.stringify(ref), { ttlMs: 2 * FOLLOWED_MS }),
        add(invoice),
        looks.expect(ref),
        shows.soon(ref),
        invoice.shared && deps.sold(user),
      ]);
    },
    read: store.read,
    checkBeforePayment: looks.checkBeforePayment,
    ...ofUsers,
    linkChanges: createLinkChanges({ of: ofUsers.of, looks, now }),
    async placed(ref, card) {
      let left: InvoiceCard[] = [];
      await store.change(ref, (present) => {
        const before = present.cards.find(({ chat }) => chat === card.chat);
        const others = present.cards.filter(({ chat }) => chat !== card.chat);
        const placed = [...others, { ...card, own: before?.own ?? card.own }];
        // The card of the user who made the invoice is never dropped.
        const cards = [
          ...placed.filter(({ own }) => own),
          ...placed.filter(({ own }) => !own).slice(-MAX_CARDS),
        ];
        left = [...(before ? [before] : []), ...placed.filter((one) => !cards.includes(one))];
        return { ...withoutSend(present, card.chat), cards };
      });
      await shows.soon(ref);
      return left;
    },
    async opened(ref) {
      const invoice = await store.read(ref);
      if (invoice === undefined || invoice.openedAt !== undefined) return;
      await store.change(ref, (present) =>
        present.openedAt === undefined ? { ...present, openedAt: now() } : undefined,
      );
      await shows.soon(ref);
    },
    expect: looks.expect,
    async heard(account, number) {
      // Events of the operator's account carry that account's number, but its invoices are stored under `OPERATORS`. An
      // event is only a hint that triggers a check.
      const [own, operators] = await Promise.all(
        [account, OPERATORS].map((of) => storage.get(numberKey(of, number))),
      );
      const ref = readJson(refSchema, own ?? operators);
      if (ref) await looks.expect(ref);
    },
    admit: guestLimits.admit,
    shares,
    shows,
    looks,
    overdueMs: lookIndex.overdueMs,
  };
}

const SHOW = 'invoice-show';
/** Interval of searches for due work, in milliseconds. */
const LOOK_MS = 3_000;

/** Creates the jobs that show invoices and poll the service for them. Each job has its own workers. */
export function createInvoiceJobs({ jobs }: { jobs: Jobs }) {
  return {
    hand: ({ user, id }: InvoiceRef) => jobs.add(SHOW, { user, id }),
    /** Defines the jobs. Call before the jobs start. */
    define({ shows, looks }: Invoices, lookMs = LOOK_MS): void {
      // A failed update comes due again by itself.
      jobs.define(SHOW, shows.show, { tries: 1 });
      jobs.every('invoices-show', lookMs, shows.run);
      jobs.every('invoices-look', lookMs, looks.run);
    },
  };
}
