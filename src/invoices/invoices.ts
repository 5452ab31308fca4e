import { z } from 'zod';
import type { InvoiceMade } from '../operations/kinds/kind.ts';
import type { Operation } from '../operations/operation.ts';
import type { Seal } from '../platform/encryption.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { Turns } from '../platform/leases.ts';
import { createBudget } from '../platform/rate-limit.ts';
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
  createLooks,
  type LinkChanges,
  type LookIndex,
  type Looks,
} from './tracking.ts';

/** What is asked for, as far as this room needs it. */
const wishSchema = z.object({
  address: z.string(),
  transfers: z.number().optional(),
  duration_hours: z.number(),
  shared: z.boolean().optional(),
  note: z.string().optional(),
});

const refSchema = z.object({ user: z.number(), id: z.string() });
/** Of those who were given its link. */
const MOST_CARDS = 100;

export interface Invoices {
  /** Takes care of what an operation has made: shows it to its user, and follows it. Safe to repeat. */
  open(operation: Operation): Promise<void>;
  read(ref: InvoiceRef): Promise<Invoice | undefined>;
  /** What a user has made. */
  readonly of: UserInvoices['of'];
  readonly page: UserInvoices['page'];
  readonly totals: UserInvoices['totals'];
  /** What their links, as they end and are made again, mean for them. */
  readonly linkChanges: LinkChanges;
  readonly checkBeforePayment: Looks['checkBeforePayment'];
  /** A message shows it now, in place of another of that chat. Answers those that are followed no more: the one before. */
  placed(ref: InvoiceRef, card: InvoiceCard): Promise<InvoiceCard[]>;
  /** Somebody has opened its link, as people do: told to who made it. */
  opened(ref: InvoiceRef): Promise<void>;
  /** Something is heard of it: the service is asked soon. */
  expect: Looks['expect'];
  /** The service's event of an invoice. */
  heard(account: number, number: number): Promise<void>;
  /** Why a guest's invoice isn't made just now. Counts it, where it is. */
  readonly admit: GuestLimits['admit'];
  readonly shares: Shares;
  readonly shows: InvoiceShows;
  readonly looks: Pick<Looks, 'run'>;
  /** For how long the service should have been asked for one of them. */
  readonly overdueMs: LookIndex['overdueMs'];
}

export interface InvoicesDeps {
  storage: Storage;
  records: SignedRecords;
  seal: Seal;
  turns: Turns;
  rental: Pick<Rental, 'invoice'>;
  operatorInvoices: Pick<OperatorInvoices, 'read'> | undefined;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** They have made one for somebody else. */
  sold: (user: number) => Promise<unknown>;
  isAdmin: (user: number) => boolean;
  /** Whether the operation that was to make it has ended without it. */
  isNotMade: (ref: InvoiceRef) => Promise<boolean>;
  /** The limit of all guests together has been reached. */
  tellAdmins: () => Promise<unknown>;
  showCard: ShowInvoice;
  hand: (ref: InvoiceRef) => Promise<unknown>;
  /** When the present history of the stored data began (epoch milliseconds). */
  dataSince: () => Promise<number>;
  now: () => number;
}

/** Invoices that people pay from any wallet: followed until they are delivered, or a day after their end. */
export function createInvoices(deps: InvoicesDeps): Invoices {
  const { storage, records, now } = deps;
  const store = createInvoiceStore({ records });
  const budget = createBudget({ storage, now });
  const guestLimits = createGuestLimits({ ...deps, budget });
  const lookIndex = createLookIndex({ storage });
  const shows = createInvoiceShows({
    ...{ ...deps, store },
    check: (invoice) => looks.checkBeforePayment(invoice),
  });
  const looks: Looks = createLooks({ ...deps, budget, store, lookIndex, changing, changed: shows.soon });
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
        // However many were given the link, who made it hears of it.
        const cards = [
          ...placed.filter(({ own }) => own),
          ...placed.filter(({ own }) => !own).slice(-MOST_CARDS),
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
      // The operator's own events come by the number of their account. It is a hint: the service is asked all the same.
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
/** How often what came due is looked at. */
const LOOK_MS = 3_000;

/** Who shows invoices, and who asks the service for them: workers of their own each. */
export function createInvoiceJobs({ jobs }: { jobs: Jobs }) {
  return {
    hand: ({ user, id }: InvoiceRef) => jobs.add(SHOW, { user, id }),
    /** Says what the jobs do. Call before their start. */
    define({ shows, looks }: Invoices, lookMs = LOOK_MS): void {
      // What fails comes due again by itself.
      jobs.define(SHOW, shows.show, { tries: 1 });
      jobs.every('invoices-show', lookMs, shows.run);
      jobs.every('invoices-look', lookMs, looks.run);
    },
  };
}
