/**
 * Maximum age of a balance that is shown without a new request, in milliseconds. Saves the account's request limit,
 * which purchases also use.
 */
const TTL_MS = 5_000;
const ACCOUNTS = 10_000;

/** Last known balances of accounts, in TRX, decimal. Each process has its own. */
export interface Balances {
  keep(account: number, balance: string): void;
  /** Drops the stored balance before money moves. */
  forget(account: number): void;
  /** Returns the balance if it was read within the last five seconds, otherwise `undefined`. */
  lately(account: number): string | undefined;
  /** Returns the last balance read, however old; `undefined` if money has moved since. */
  known(account: number): string | undefined;
}

export function createBalances({ now = () => performance.now() }: { now?: () => number } = {}): Balances {
  const seen = new Map<number, { balance: string; at: number }>();
  return {
    keep(account, balance) {
      if (seen.size >= ACCOUNTS) seen.clear();
      seen.set(account, { balance, at: now() });
    },
    forget: (account) => void seen.delete(account),
    known: (account) => seen.get(account)?.balance,
    lately(account) {
      const known = seen.get(account);
      return known !== undefined && now() - known.at < TTL_MS ? known.balance : undefined;
    },
  };
}
