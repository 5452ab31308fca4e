// Deposits and withdrawals that the service lists for an account.

import { HOUR_MS } from '../platform/clock.ts';
import type { DepositRecord } from '../rental-api/schemas.ts';
import { formatTrx, sunOf, trxFromSun } from '../rental-api/tron.ts';

/** Maximum time from a deposit or withdrawal until it changes the balance, in milliseconds. */
export const LISTED_EARLIER_MS = HOUR_MS;

/** Deposit that was made at `at`, in epoch milliseconds. */
export interface Credit {
  at: number;
  sun: number;
  isConfirmed: boolean;
}

/** Deposit or withdrawal, with its amount in TRX (decimal) if the service names it. */
export type Listed = { [Field in 'created_at' | 'amount_trx']?: string | undefined };

/** Deposit. `credit`: set if its amount and time are known. */
export interface ListedDeposit extends Listed {
  credit: Credit | undefined;
}

/** Returns a listed deposit with its credit, if its amount and time are known. */
export function listedDeposit({
  created_at,
  currency,
  amount,
  amount_trx = currency === 'TRX' ? amount : undefined,
  status,
}: DepositRecord): ListedDeposit {
  const sun = sunOf(amount_trx);
  const at = created_at === undefined ? undefined : Date.parse(created_at);
  const isKnown = at !== undefined && sun !== undefined;
  return {
    created_at,
    amount_trx,
    credit: isKnown ? { at, sun, isConfirmed: status === 'confirmed' } : undefined,
  };
}

/** Returns the sum of the deposits that arrived and were made since then, in TRX (decimal), or `undefined` without any. */
export function depositedSince(deposits: readonly DepositRecord[], since: number): string | undefined {
  const credits = deposits.flatMap((deposit) => listedDeposit(deposit).credit ?? []);
  const counted = credits.filter(({ at, isConfirmed }) => isConfirmed && at >= since);
  const sun = counted.reduce((sum, credit) => sum + credit.sun, 0);
  return sun > 0 ? formatTrx(trxFromSun(sun)) : undefined;
}
