import { retryOnConflict, type SignedRecord, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { FOLLOWED_MS, type Invoice, type InvoiceRef, invoiceSchema, wasPaid } from './invoice.ts';
import { countedSince, type Totals, totalsOf } from './table.ts';

/** Key prefix of invoices. */
export const INVOICES = 'invoice:';

/** Key prefix of payment marks. */
export const PAID_INVOICES = 'invoice-paid:';

/** TTL of an invoice, in milliseconds: the same as that of operations. Tracked invoices are younger. */
const TTL_MS = 90 * 24 * 3600_000;
/**
 * TTL of a payment mark, in milliseconds. After that, an earlier version of the record shows the invoice as expired
 * anyway.
 */
const MARK_TTL_MS = 2 * FOLLOWED_MS;

const paymentSchema = invoiceSchema.pick({ status: true, txHash: true, paidAt: true, delegatedAt: true });

interface StoredInvoice {
  /** The record, with the payment from the mark if the record lacks it. */
  invoice: Invoice;
  record: SignedRecord;
  mark: SignedRecord | undefined;
}

/**
 * Signed records of invoices. A payment is also stored under a separate key, before the record. So restoring an earlier
 * record doesn't make the invoice payable again.
 */
export interface InvoiceStore {
  /** Stores the invoice unless it exists. Returns the stored invoice. */
  create(invoice: Invoice): Promise<Invoice>;
  read(ref: InvoiceRef): Promise<Invoice | undefined>;
  /**
   * Applies `change` to the current invoice, again after a concurrent write. Writes nothing if `change` returns
   * `undefined`. Returns the resulting invoice, or `undefined` if there is none.
   */
  change(ref: InvoiceRef, change: (invoice: Invoice) => Invoice | undefined): Promise<Invoice | undefined>;
}

export function createInvoiceStore({ records }: { records: SignedRecords }): InvoiceStore {
  const keyOf = ({ user, id }: InvoiceRef) => `${INVOICES}{${user}}:${id}`;
  const markKeyOf = ({ user, id }: InvoiceRef) => `${PAID_INVOICES}{${user}}:${id}`;
  const lifetime = { ttlMs: TTL_MS };

  async function readStored(ref: InvoiceRef): Promise<StoredInvoice | undefined> {
    const [record, mark] = await Promise.all([records.get(keyOf(ref)), records.get(markKeyOf(ref))]);
    if (record === undefined) return undefined;
    const invoice = records.parse(keyOf(ref), record, invoiceSchema);
    if (invoice === undefined) return undefined;
    const isUnpaid = invoice.status === 'pending' || invoice.status === 'expired';
    const payment = mark && isUnpaid ? paymentSchema.parse(JSON.parse(mark.content)) : {};
    return { invoice: { ...invoice, ...payment }, record, mark };
  }

  async function markPaid(invoice: Invoice, mark: SignedRecord | undefined): Promise<void> {
    if (!wasPaid(invoice)) return;
    const content = JSON.stringify(paymentSchema.parse(invoice));
    if (content !== mark?.content) await records.set(markKeyOf(invoice), content, { ttlMs: MARK_TTL_MS });
  }

  const read = async (ref: InvoiceRef) => (await readStored(ref))?.invoice;

  return {
    async create(invoice) {
      await records.add(keyOf(invoice), JSON.stringify(invoice), lifetime);
      const found = await read(invoice);
      if (found === undefined) throw new Error(`invoice ${invoice.id} is missing right after its creation`);
      return found;
    },
    read,
    async change(ref, change) {
      const { invoice } = await retryOnConflict(async () => {
        const stored = await readStored(ref);
        if (stored === undefined) return { invoice: undefined };
        const changed = change(stored.invoice);
        if (changed === undefined) return stored;
        await markPaid(changed, stored.mark);
        const isWritten = await records.replace(keyOf(ref), stored.record, JSON.stringify(changed), lifetime);
        return isWritten ? { invoice: changed } : undefined;
      });
      return invoice;
    },
  };
}

/**
 * TTL of a user's list, in milliseconds. Slightly longer than that of the records, whose TTL restarts with each change.
 */
const LISTED_MS = 92 * 24 * 3600_000;
/** Number of invoices read at once. */
const READ = 50;
/** Maximum number of invoices searched for one page. */
const MAX_SOUGHT = 500;
/** Maximum number of a user's invoices that are read: more than a user makes by hand. */
export const MAX_READ = 10_000;
const MAX_COUNTED = 2_000;

interface InvoicePage {
  /** Latest first. */
  invoices: Invoice[];
  /** Value of `after` for the next page; `undefined` if no older invoice is known. */
  older: string | undefined;
}

/** Lists of the invoices that users have made in the last 90 days. */
export interface UserInvoices {
  add(invoice: Invoice): Promise<void>;
  /** Returns a user's invoices, latest first: all, or until `until` returns true; {@link MAX_READ} at most. */
  of(user: number, until?: (invoices: readonly Invoice[]) => boolean): Promise<Invoice[]>;
  /** Returns up to `size` matching invoices, latest first. Starts behind the invoice `after`, if given. */
  page(
    user: number,
    about: { size: number; after?: string | undefined; fits(invoice: Invoice): boolean },
  ): Promise<InvoicePage>;
  /** Returns totals of recently paid invoices. `partial`: only the user's latest 2,000 invoices were counted. */
  totals(user: number): Promise<Totals & { partial: boolean }>;
}

export function createUserInvoices({
  storage: { index },
  store,
  now,
}: {
  storage: Pick<Storage, 'index'>;
  store: Pick<InvoiceStore, 'read'>;
  now: () => number;
}): UserInvoices {
  const listOf = (user: number) => `invoices-of-user:{${user}}`;

  /**
   * Reads the next invoices and leaves out missing ones. `last`: value of `after` for the following ones; `undefined`
   * at the end.
   */
  async function next(user: number, after: string | undefined) {
    const ids = await (after === undefined
      ? index.last(listOf(user), READ)
      : index.before(listOf(user), after, READ));
    const read = await Promise.all(ids.map((id) => store.read({ user, id })));
    const last = ids.length < READ ? undefined : ids.at(-1);
    return { invoices: read.flatMap((one) => one ?? []), last };
  }

  /** Removes up to two expired entries for each added one, so that their number decreases. */
  async function forgetOld(user: number, until: number): Promise<void> {
    const old = await index.upTo(listOf(user), until, 2);
    await Promise.all(old.map((id) => index.remove(listOf(user), id)));
  }

  async function of(
    user: number,
    until?: (invoices: readonly Invoice[]) => boolean,
    most = MAX_READ,
  ): Promise<Invoice[]> {
    const found: Invoice[] = [];
    let after: string | undefined;
    for (let seen = 0; seen < most; seen += READ) {
      const { invoices, last } = await next(user, after);
      found.push(...invoices);
      if (last === undefined || until?.(found)) break;
      after = last;
    }
    return found;
  }

  return {
    async add({ user, id, createdAt }) {
      await Promise.all([
        index.put(listOf(user), id, createdAt, { ttlMs: LISTED_MS }),
        forgetOld(user, createdAt - LISTED_MS),
      ]);
    },
    of: (user, until) => of(user, until),
    async page(user, { size, after, fits }) {
      const invoices: Invoice[] = [];
      let behind = after;
      for (let seen = 0; seen < MAX_SOUGHT; seen += READ) {
        const { invoices: found, last } = await next(user, behind);
        for (const invoice of found) {
          if (!fits(invoice)) continue;
          // There is another match, so there is a next page.
          if (invoices.length === size) return { invoices, older: invoices.at(-1)?.id };
          invoices.push(invoice);
        }
        if (last === undefined) return { invoices, older: undefined };
        behind = last;
      }
      return { invoices, older: behind };
    },
    async totals(user) {
      const since = countedSince(now());
      const isEnough = (read: readonly Invoice[]) => (read.at(-1)?.createdAt ?? since) < since;
      const invoices = await of(user, isEnough, MAX_COUNTED);
      const partial = invoices.length >= MAX_COUNTED && !isEnough(invoices);
      return { ...totalsOf(invoices, now()), partial };
    },
  };
}
