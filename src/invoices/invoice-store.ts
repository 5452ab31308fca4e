import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { DAY_MS } from '../platform/clock.ts';
import { type Contribution, createDailyFigures, defineDailyFigures } from '../platform/daily-figures.ts';
import {
  defineRecord,
  keyOf,
  retryOnConflict,
  type SignedRecords,
  type Stored,
  type StoredData,
} from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { OPERATOR_ACCOUNT } from '../rental-api/client.ts';
import { sunOf } from '../rental-api/tron.ts';
import { type Invoice, type InvoiceRef, invoiceSchema, TRACKED_AFTER_EXPIRY_MS, wasPaid } from './invoice.ts';

/** Longer than an invoice is tracked, and the same as the TTL of operations. */
const INVOICE = defineRecord({
  keys: 'invoice:{user}:id',
  content: 'Invoice, and the messages that show it',
  schema: invoiceSchema,
  ttlMs: 90 * DAY_MS,
  expiry: '90 days since the last change',
  signed: true,
  retained: { own: 'kept-money', elsewhere: 'kept-others' },
});

/** After the TTL, an earlier version of the record shows the invoice as expired anyway. */
const INVOICE_PAYMENT = defineRecord({
  keys: 'invoice-paid:{user}:id',
  content: 'The invoice was paid, and what became of it',
  schema: invoiceSchema.pick({ status: true, txHash: true, paidAt: true, delegatedAt: true }),
  ttlMs: 2 * TRACKED_AFTER_EXPIRY_MS,
  expiry: "2 days: an older invoice can't be paid",
  signed: true,
  retained: { own: 'kept-money' },
});

export const INVOICE_NUMBER = defineRecord({
  keys: 'invoice-number:account:number',
  content: 'Invoice with this number at the service, to find it from an event',
  schema: z.object({ user: z.number(), id: z.string() }),
  ttlMs: 2 * TRACKED_AFTER_EXPIRY_MS,
  signed: false,
  retained: { elsewhere: 'kept-money' },
});

/** TTL of a user's list. Longer than that of invoices, whose TTL restarts with each change. */
const LIST_TTL_MS = 92 * DAY_MS;

const INVOICES_OF_USER = {
  keys: 'invoices-of-user:{user}',
  content: 'Invoices that a user made',
  expiry: '92 days since the latest one; older entries are removed when new ones are added',
  retained: { own: 'kept-money' },
} as const satisfies StoredData;

const OPENED_INVOICES = {
  keys: 'opened-invoices:{user}',
  content: "Other users' invoices whose link the user opened here",
  expiry: '92 days since the latest one; older entries are removed when new ones are added',
} as const satisfies StoredData;

const PAYMENTS_OF_DAY = defineDailyFigures(
  'invoice-figures',
  "Invoices by the day of their payment: paid, failed, and TRX prices of the paid ones, for guests' and for other invoices",
);

export const INVOICE_RECORDS = [
  INVOICE,
  INVOICE_PAYMENT,
  INVOICES_OF_USER,
  OPENED_INVOICES,
  INVOICE_NUMBER,
  PAYMENTS_OF_DAY,
] as const;

/** Figures of paid invoices: their number, the sum of their TRX prices in sun, and the number of those that failed later. */
type PaymentFigure = 'paid' | 'sun' | 'failed';

/** Returns what an invoice adds to the figures. The TRX price counts, whichever currency the payer used. */
function contributionOf({ account, status, priceTrx, countedAt }: Invoice): Contribution | undefined {
  if (countedAt === undefined) return undefined;
  const maker = account === OPERATOR_ACCOUNT ? 'guest' : 'account';
  const named = (figure: PaymentFigure) => `${maker}:${figure}`;
  if (status === 'failed') return { at: countedAt, figures: { [named('failed')]: 1 } };
  return { at: countedAt, figures: { [named('paid')]: 1, [named('sun')]: sunOf(priceTrx) ?? 0 } };
}

export type InvoiceStore = ReturnType<typeof createInvoiceStore>;

/**
 * Creates the signed records of invoices. A payment is also stored under another key, before the record, so
 * that restoring an earlier record doesn't make the invoice payable again.
 */
export function createInvoiceStore({
  records,
  storage,
  now,
}: {
  records: SignedRecords;
  storage: Pick<Storage, 'counters'>;
  now: () => number;
}) {
  const figures = createDailyFigures({ storage }, PAYMENTS_OF_DAY);
  const invoices = records.store(INVOICE);
  const payments = records.store(INVOICE_PAYMENT);

  /** Reads the invoice as stored, and with its payment if the record lacks it. */
  async function readStored(ref: InvoiceRef) {
    const [stored, payment] = await Promise.all([invoices.read(ref), payments.read(ref)]);
    if (stored === undefined) return undefined;
    const { status } = stored.value;
    const isUnpaid = status === 'pending' || status === 'expired';
    return { stored, payment, invoice: { ...stored.value, ...(isUnpaid && payment?.value) } };
  }

  async function storePayment(invoice: Invoice, before: Stored<unknown> | undefined): Promise<void> {
    if (!wasPaid(invoice)) return;
    const payment = INVOICE_PAYMENT.schema.parse(invoice);
    if (JSON.stringify(payment) !== before?.record.content) await payments.set(invoice, payment);
  }

  const read = async (ref: InvoiceRef): Promise<Invoice | undefined> => (await readStored(ref))?.invoice;

  return {
    /** Stores the invoice unless it exists. Returns the stored invoice. */
    async create(invoice: Invoice): Promise<Invoice> {
      await invoices.add(invoice, invoice);
      const found = await read(invoice);
      if (found === undefined) throw new Error(`invoice ${invoice.id} is missing right after its creation`);
      return found;
    },
    read,
    /**
     * Applies `change` to the stored invoice, again after a concurrent write. Writes nothing if it returns
     * `undefined`. Returns the resulting invoice, or `undefined` if there is none.
     */
    async update(
      ref: InvoiceRef,
      change: (invoice: Invoice) => Invoice | undefined,
    ): Promise<Invoice | undefined> {
      const { invoice } = await retryOnConflict(async () => {
        const before = await readStored(ref);
        if (before === undefined) return { invoice: undefined };
        const result = change(before.invoice);
        if (result === undefined) return before;
        const changed = wasPaid(result) ? { ...result, countedAt: result.countedAt ?? now() } : result;
        await storePayment(changed, before.payment);
        // The stored record, because a process may have ended between these two writes.
        const counted = contributionOf(before.stored.value);
        const increments = figures.incrementsOf(counted, contributionOf(changed));
        const written = await invoices.replace(ref, before.stored, changed, increments);
        return written && { invoice: changed };
      });
      return invoice;
    },
    /**
     * Returns the figures of payments for the day that contains `at` and the days before it, `days` in all. `guest`:
     * invoices on the operator account.
     */
    async paymentsDuring(
      at: number,
      days: number,
    ): Promise<(maker: 'guest' | 'account', figure: PaymentFigure) => number> {
      const sums = await figures.during(at, days);
      return (maker, figure) => sums[`${maker}:${figure}`] ?? 0;
    },
  };
}

const BATCH = 50;
const MAX_SEARCHED = 500;
/** Maximum invoices that `list` returns: more than a user makes by hand. */
export const MAX_LISTED_INVOICES = 10_000;
const MAX_TOTALLED = 2_000;

export type UserInvoices = ReturnType<typeof createUserInvoices>;

export function createUserInvoices(deps: {
  storage: Pick<Storage, 'index'>;
  store: Pick<InvoiceStore, 'read'>;
  now: () => number;
}) {
  const { store, now } = deps;
  const { index } = deps.storage;
  const listKeyOf = (user: number) => keyOf(INVOICES_OF_USER.keys, { user });
  const openedKeyOf = (user: number) => keyOf(OPENED_INVOICES.keys, { user });

  /** Reads a batch without missing invoices. `last`: `after` of the next batch; `undefined` at the end. */
  async function readBatch(user: number, after: string | undefined) {
    const ids = await (after === undefined
      ? index.last(listKeyOf(user), BATCH)
      : index.before(listKeyOf(user), after, BATCH));
    const invoices = await Promise.all(ids.map((id) => store.read({ user, id })));
    const last = ids.length < BATCH ? undefined : ids.at(-1);
    return { invoices: invoices.filter((invoice) => invoice !== undefined), last };
  }

  /** Adds an entry to a list. Removes up to two expired ones for each added one, so that their number decreases. */
  async function addEntry(list: string, entry: string, at: number): Promise<void> {
    const expired = await index.upTo(list, at - LIST_TTL_MS, 2);
    await Promise.all([
      index.put(list, entry, at, { ttlMs: LIST_TTL_MS }),
      ...expired.filter((one) => one !== entry).map((one) => index.remove(list, one)),
    ]);
  }

  async function read(user: number, isEnough: (invoices: readonly Invoice[]) => boolean, limit: number) {
    const found: Invoice[] = [];
    let after: string | undefined;
    for (let count = 0; count < limit; count += BATCH) {
      const { invoices, last } = await readBatch(user, after);
      found.push(...invoices);
      if (last === undefined || isEnough(found)) break;
      after = last;
    }
    return found;
  }

  return {
    add: ({ user, id, createdAt }: Invoice): Promise<void> => addEntry(listKeyOf(user), id, createdAt),
    /** Records that a user opened another user's invoice. */
    addOpened: (by: number, { user, id }: InvoiceRef): Promise<void> =>
      addEntry(openedKeyOf(by), `${user}/${id}`, now()),
    /** Returns up to `size` invoices of other users that the user opened, latest first. */
    async opened(by: number, size: number): Promise<Invoice[]> {
      const entries = await index.last(openedKeyOf(by), size);
      const invoices = await Promise.all(
        entries.map((entry) => {
          const [user, id = ''] = entry.split('/');
          return store.read({ user: Number(user), id });
        }),
      );
      return invoices.filter((invoice) => invoice !== undefined);
    },
    /** Returns a user's latest {@link MAX_LISTED_INVOICES} invoices, or fewer once `isEnough` is true. */
    list: (user: number, isEnough: (invoices: readonly Invoice[]) => boolean = () => false) =>
      read(user, isEnough, MAX_LISTED_INVOICES),

    /**
     * Returns up to `size` matching invoices after the invoice `after`, latest first. `older`: `after` for
     * the next page; `undefined` if no older invoice is known.
     */
    async page(
      user: number,
      query: { size: number; after?: string | undefined; matches(invoice: Invoice): boolean },
    ): Promise<{ invoices: Invoice[]; older: string | undefined }> {
      const { size, matches } = query;
      const page: Invoice[] = [];
      let position = query.after;
      for (let count = 0; count < MAX_SEARCHED; count += BATCH) {
        const { invoices, last } = await readBatch(user, position);
        for (const invoice of invoices.filter(matches)) {
          // There is another match, so there is a next page.
          if (page.length === size) return { invoices: page, older: page.at(-1)?.id };
          page.push(invoice);
        }
        if (last === undefined) return { invoices: page, older: undefined };
        position = last;
      }
      return { invoices: page, older: position };
    },
    /** Returns totals of recently paid invoices that match. `partial`: only the user's latest 2,000 were read. */
    async totals(
      user: number,
      matches: (invoice: Invoice) => boolean,
    ): Promise<Totals & { partial: boolean }> {
      const since = earliestCountedCreation(now());
      const isEnough = (invoices: readonly Invoice[]) => (invoices.at(-1)?.createdAt ?? since) < since;
      const invoices = await read(user, isEnough, MAX_TOTALLED);
      const partial = invoices.length >= MAX_TOTALLED && !isEnough(invoices);
      return { ...totalsOf(invoices.filter(matches), now()), partial };
    },
  };
}

/** The first day of the epoch was a Thursday. */
const DAYS_SINCE_MONDAY = 3;

interface Total {
  count: number;
  /** Sum of the TRX prices, decimal, whichever currency the payers used. */
  trx: string;
}

type Period = 'today' | 'week' | 'month';
type Totals = Record<Period, Total>;

/** Returns totals of invoices paid today, this week and this month (UTC), without refunded ones. */
function totalsOf(invoices: readonly Invoice[], now: number): Totals {
  const paid = invoices.filter(({ status }) => status === 'paid' || status === 'delegated');
  const totalSince = (start: number): Total => {
    const counted = paid.filter((invoice) => paymentTimeOf(invoice) >= start);
    const sum = counted.reduce((total, { priceTrx }) => total.plus(priceTrx), new BigNumber(0));
    return { count: counted.length, trx: sum.toFixed() };
  };
  const { today, week, month } = startsOf(now);
  return { today: totalSince(today), week: totalSince(week), month: totalSince(month) };
}

/** Invoices created earlier can't have been paid within the periods. */
function earliestCountedCreation(now: number): number {
  const { week, month } = startsOf(now);
  return Math.min(week, month) - 2 * TRACKED_AFTER_EXPIRY_MS;
}

function startsOf(now: number): Record<Period, number> {
  const day = Math.floor(now / DAY_MS);
  const date = new Date(now);
  return {
    today: day * DAY_MS,
    week: (day - ((day + DAYS_SINCE_MONDAY) % 7)) * DAY_MS,
    month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1),
  };
}

/** Returns the payment time, or the closest known time if the service doesn't report it. */
function paymentTimeOf({ paidAt, delegatedAt, createdAt }: Invoice): number {
  return paidAt ?? delegatedAt ?? createdAt;
}
