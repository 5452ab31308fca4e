/**
 * Maximum age of a balance that is shown without a new request, in milliseconds. Saves the account's request limit,
 * which purchases also use.
 */
const MAX_AGE_MS = 5_000;
const MAX_ACCOUNTS = 10_000;

/** Last known balances of accounts, in TRX, decimal. Each process has its own. */
export interface Balances {
  set(account: number, balance: string): void;
  /** Drops the stored balance before money moves. */
  delete(account: number): void;
  /** Returns the balance if it was read within the last five seconds, otherwise `undefined`. */
  getRecent(account: number): string | undefined;
  /** Returns the last balance read, however old; `undefined` if money has moved since. */
  getLast(account: number): string | undefined;
}

export function createBalances({ now = () => performance.now() }: { now?: () => number } = {}): Balances {
  const balances = new Map<number, { balance: string; at: number }>();
  return {
    set(account, balance) {
      if (balances.size >= MAX_ACCOUNTS) balances.clear();
      balances.set(account, { balance, at: now() });
    },
    delete: (account) => void balances.delete(account),
    getLast: (account) => balances.get(account)?.balance,
    getRecent(account) {
      const last = balances.get(account);
      return last !== undefined && now() - last.at < MAX_AGE_MS ? last.balance : undefined;
    },
  };
}
