// Deposits and withdrawals that the service lists for an account.

import type { DepositRecord } from '../rental-api/schemas.ts';
import { formatTrx, sunOf, trxFromSun } from '../rental-api/tron.ts';

/** Confirmed deposit that was made at `at`, in epoch milliseconds. */
export interface Credit {
  at: number;
  sun: number;
}

/** Deposit or withdrawal, with its amount in TRX (decimal) if the service names it. */
export type Listed = { [Field in 'created_at' | 'amount_trx']?: string | undefined };

/** Deposit. `credit`: set if it has certainly arrived, with a known amount and time. */
export interface ListedDeposit extends Listed {
  credit: Credit | undefined;
}

/** Returns a listed deposit with its credit, if it has certainly arrived. */
export function listedDeposit({
  created_at,
  currency,
  amount,
  amount_trx = currency === 'TRX' ? amount : undefined,
  status,
}: DepositRecord): ListedDeposit {
  const sun = sunOf(amount_trx);
  const isArrived = status === 'confirmed' && created_at !== undefined && sun !== undefined;
  return {
    created_at,
    amount_trx,
    credit: isArrived ? { at: Date.parse(created_at), sun } : undefined,
  };
}

/** Returns the sum of the deposits that arrived and were made since then, in TRX (decimal), or `undefined` without any. */
export function depositedSince(deposits: readonly DepositRecord[], since: number): string | undefined {
  const credits = deposits.flatMap((deposit) => listedDeposit(deposit).credit ?? []);
  const sun = credits.reduce((sum, credit) => sum + (credit.at >= since ? credit.sun : 0), 0);
  return sun > 0 ? formatTrx(trxFromSun(sun)) : undefined;
}
