import { BigNumber } from 'bignumber.js';
import { formatTrx } from '../rental-api/amounts.ts';
import { FOLLOWED_MS, type Invoice, type InvoiceStanding, standingOf } from './invoice.ts';

const DAY_MS = 24 * 3600_000;
/** The first day of the epoch was a Thursday. */
const DAYS_SINCE_MONDAY = 3;

interface Total {
  count: number;
  /** TRX, decimal: what their prices come to, in whichever currency they were paid. */
  trx: string;
}

type Period = 'today' | 'week' | 'month';
export type Totals = Record<Period, Total>;

/**
 * What was paid today, this week and this month, whether it is delivered yet or not; what the service gives back isn't
 * counted. By UTC, weeks begin on Monday; `now` in epoch milliseconds.
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

/** Those that were made before this count no more: none is paid that long after it was made. */
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

/** Where the service doesn't say when, as near as is known. */
function paidAtOf({ paidAt, delegatedAt, createdAt }: Invoice): number {
  return paidAt ?? delegatedAt ?? createdAt;
}

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
