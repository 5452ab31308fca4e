import { BigNumber } from 'bignumber.js';
import { formatTrx } from '../rental/money.ts';
import { FOLLOWED_MS, type Invoice } from './invoice.ts';

const DAY_MS = 24 * 3600_000;
/** The first day of the epoch was a Thursday. */
const DAYS_SINCE_MONDAY = 3;

export interface Total {
  count: number;
  /** TRX, decimal: what their prices come to, in whichever currency they were paid. */
  trx: string;
}

export type Period = 'today' | 'week' | 'month';
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
