import { BigNumber } from 'bignumber.js';
import { formatTrx } from '../rental-api/amounts.ts';
import { FOLLOWED_MS, type Invoice, type InvoiceStanding, standingOf } from './invoice.ts';

const DAY_MS = 24 * 3600_000;
/** The first day of the epoch was a Thursday. */
const DAYS_SINCE_MONDAY = 3;

interface Total {
  count: number;
  /** Sum of the TRX prices, decimal, whichever currency the payers used. */
  trx: string;
}

type Period = 'today' | 'week' | 'month';
export type Totals = Record<Period, Total>;

/**
 * Returns totals of the invoices paid today, this week and this month, delivered or not. Refunded ones don't count.
 * Periods are in UTC, and weeks begin on Monday. `now` is in epoch milliseconds.
 */
export function totalsOf(invoices: readonly Invoice[], now: number): Totals {
  const paid = invoices.filter(({ status }) => status === 'paid' || status === 'delegated');
  const since = (start: number): Total => {
    const counted = paid.filter((invoice) => paidAtOf(invoice) >= start);
    const sum = counted.reduce((total, { priceTrx }) => total.plus(priceTrx), new BigNumber(0));
    return { count: counted.length, trx: formatTrx(sum) };
  };
  const { today, week, month } = startsOf(now);
  return { today: since(today), week: since(week), month: since(month) };
}

/**
 * Returns the time before which made invoices can't count, in epoch milliseconds: none is paid that long after it was
 * made.
 */
export function countedSince(now: number): number {
  const { week, month } = startsOf(now);
  return Math.min(week, month) - 2 * FOLLOWED_MS;
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
function paidAtOf({ paidAt, delegatedAt, createdAt }: Invoice): number {
  return paidAt ?? delegatedAt ?? createdAt;
}

/** Status names for programs. They aren't translated. */
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

/** Returns a table of invoices: column names, then one row per invoice. Times are ISO 8601 in UTC. */
export function invoiceTable(invoices: readonly Invoice[], now: number): string[][] {
  const columns = Object.values(COLUMNS);
  const rows = invoices.map((invoice) => columns.map((of) => String(of(invoice, now) ?? '')));
  return [Object.keys(COLUMNS), ...rows];
}

function iso(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
