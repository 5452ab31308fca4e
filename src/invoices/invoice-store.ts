import { untilWritten } from '../storage/contention.ts';
import type { SignedRecord, SignedRecords } from '../storage/signed-records.ts';
import { FOLLOWED_MS, type Invoice, type InvoiceRef, invoiceSchema, wasPaid } from './invoice.ts';

/** What the keys of invoices begin with. */
export const INVOICES = 'invoice:';

/** Key prefix of payment marks. */
export const PAID_INVOICES = 'invoice-paid:';

/** As long as the operations that made them; whatever is followed is younger. */
const KEPT_MS = 90 * 24 * 3600_000;
/** Longer than any invoice can be paid: an earlier text of its record shows it as over by then. */
const MARK_TTL_MS = 2 * FOLLOWED_MS;

const paymentSchema = invoiceSchema.pick({ status: true, txHash: true, paidAt: true, delegatedAt: true });

interface StoredInvoice {
  /** The record, or what the mark says if the record doesn't know of the payment. */
  invoice: Invoice;
  record: SignedRecord;
  mark: SignedRecord | undefined;
}

/**
 * Signed records of invoices. A payment is also stored under a separate key, before the record: an earlier record that is
 * put back then doesn't make the invoice payable again.
 */
export interface InvoiceStore {
  /** Writes it where there is none yet; answers the one that there is. */
  create(invoice: Invoice): Promise<Invoice>;
  read(ref: InvoiceRef): Promise<Invoice | undefined>;
  /**
   * Applies `change` to the invoice as it is now; again, if somebody else was quicker. Where `change` answers `undefined`
   * nothing is written. Answers the invoice as it stands then, `undefined` where there is none.
   */
  change(ref: InvoiceRef, change: (invoice: Invoice) => Invoice | undefined): Promise<Invoice | undefined>;
}

export function createInvoiceStore({ records }: { records: SignedRecords }): InvoiceStore {
  const keyOf = ({ user, id }: InvoiceRef) => `${INVOICES}{${user}}:${id}`;
  const markKeyOf = ({ user, id }: InvoiceRef) => `${PAID_INVOICES}{${user}}:${id}`;
  const lifetime = { ttlMs: KEPT_MS };

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
      if (found === undefined) throw new Error(`invoice ${invoice.id} went as it was made`);
      return found;
    },
    read,
    async change(ref, change) {
      const { invoice } = await untilWritten(async () => {
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
