import { type Invoice, type ListedState, listedStateOf } from './invoice.ts';

/** Names of states in the CSV file. They aren't translated. */
const STATE_NAMES: Record<Exclude<ListedState, 'unrecognized'>, string> = {
  open: 'open',
  ending: 'open',
  over: 'expired',
  unreported: 'not reported',
  paid: 'paid',
  late: 'paid late',
  delivered: 'delivered',
  partial: 'partly delivered',
  failed: 'failed',
  unchecked: 'not tracked',
};

const COLUMNS: Readonly<Record<string, (invoice: Invoice, now: number) => string | number | undefined>> = {
  number: ({ number }) => number,
  status(invoice, now) {
    const state = listedStateOf(invoice, now);
    return state === 'unrecognized' ? invoice.status || 'unknown' : STATE_NAMES[state];
  },
  created: ({ createdAt }) => isoTime(createdAt),
  expires: ({ expiresAt }) => isoTime(expiresAt),
  paid: ({ paidAt }) => isoTime(paidAt),
  delivered: ({ delegatedAt }) => isoTime(delegatedAt),
  price_trx: ({ priceTrx }) => priceTrx,
  price_usdt: ({ priceUsdt }) => priceUsdt,
  energy: ({ energy }) => energy,
  transfers: ({ transfers }) => transfers,
  hours: ({ hours }) => hours,
  energy_to: ({ address }) => address,
  paid_to: ({ paymentAddress }) => paymentAddress,
  transaction: ({ txHash }) => txHash,
  note: ({ note }) => note,
  not_tracked: ({ unchecked }) => unchecked && 'yes',
};

/** Returns the CSV file of invoices: column names, then one row per invoice. Times are ISO 8601 in UTC. */
export function invoicesCsv(invoices: readonly Invoice[], now: number): string {
  const columns = Object.values(COLUMNS);
  const rows = invoices.map((invoice) => columns.map((column) => String(column(invoice, now) ?? '')));
  return formatCsv([Object.keys(COLUMNS), ...rows]);
}

function isoTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

/** Marks the file as UTF-8 for spreadsheets. */
const BYTE_ORDER_MARK = '\uFEFF';
/**
 * Positions at which a spreadsheet may read a formula (OWASP, CSV injection), also with full-width characters. A spreadsheet
 * with semicolons as separators also starts cells within a text and ignores its quotes.
 */
const FORMULA = /(^|[,;\r\n])(?=["\s]*[=+\-@＝＋－＠]|[\t\r])/g;

/**
 * Formats rows as CSV (RFC 4180) in UTF-8. Adds an apostrophe to each possible formula, so that spreadsheets treat it as text,
 * with commas or semicolons as separators.
 */
export function formatCsv(rows: readonly (readonly string[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('');
}

function formatCell(text: string): string {
  const withoutFormulas = text.replace(FORMULA, "$1'");
  return /[",;\r\n]/.test(withoutFormulas) ? `"${withoutFormulas.replaceAll('"', '""')}"` : withoutFormulas;
}
