import { untilWritten } from '../storage/contention.ts';
import type { SignedRecord, SignedRecords } from '../storage/signed-records.ts';
import { type Invoice, type InvoiceRef, invoiceSchema } from './invoice.ts';

/** What the keys of invoices begin with. */
export const INVOICES = 'invoice:';

/** As long as the operations that made them; whatever is followed is younger. */
const KEPT_MS = 90 * 24 * 3600_000;

export interface StoredInvoice {
  invoice: Invoice;
  record: SignedRecord;
}

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
  const lifetime = { ttlMs: KEPT_MS };

  async function readStored(ref: InvoiceRef): Promise<StoredInvoice | undefined> {
    const record = await records.get(keyOf(ref));
    const invoice = record && records.parse(keyOf(ref), record, invoiceSchema);
    return record && invoice && { invoice, record };
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
        const isWritten = await records.replace(keyOf(ref), stored.record, JSON.stringify(changed), lifetime);
        return isWritten ? { invoice: changed } : undefined;
      });
      return invoice;
    },
  };
}
