import { type Invoice, type InvoiceStanding, standingOf } from './invoice.ts';

/** How each stands, in words that no language changes: programs read them too. */
const STATUS: Record<Exclude<InvoiceStanding, 'unrecognized'>, string> = {
  open: 'open',
  ending: 'open',
  over: 'expired',
  paid: 'paid',
  late: 'paid late',
  delivered: 'delivered',
  failed: 'failed',
  unchecked: 'unchecked',
};

const COLUMNS: Readonly<Record<string, (invoice: Invoice, now: number) => string | number | undefined>> = {
  number: ({ number }) => number,
  status(invoice, now) {
    const standing = standingOf(invoice, now);
    return standing === 'unrecognized' ? invoice.status || 'unknown' : STATUS[standing];
  },
  created: ({ createdAt }) => iso(createdAt),
  expires: ({ expiresAt }) => iso(expiresAt),
  paid: ({ paidAt }) => iso(paidAt),
  delivered: ({ delegatedAt }) => iso(delegatedAt),
  price_trx: ({ priceTrx }) => priceTrx,
  price_usdt: ({ priceUsdt }) => priceUsdt,
  energy: ({ energy }) => energy,
  transfers: ({ transfers }) => transfers,
  hours: ({ hours }) => hours,
  energy_to: ({ address }) => address,
  paid_to: ({ paymentAddress }) => paymentAddress,
  transaction: ({ txHash }) => txHash,
  note: ({ note }) => note,
  unchecked: ({ unchecked }) => unchecked && 'yes',
};

/** All there is to say of invoices, a row each below the names of the columns; times are ISO 8601 in UTC. */
export function invoiceTable(invoices: readonly Invoice[], now: number): string[][] {
  const columns = Object.values(COLUMNS);
  const rows = invoices.map((invoice) => columns.map((of) => String(of(invoice, now) ?? '')));
  return [Object.keys(COLUMNS), ...rows];
}

function iso(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
