/**
 * Maximum age of a balance that is shown without a new request, in milliseconds. Purchases use the same request limit
 * of the account.
 */
const MAX_AGE_MS = 5_000;
const MAX_ACCOUNTS = 10_000;

/** Last known balances of accounts, in TRX, decimal. Each process has its own. */
export type Balances = ReturnType<typeof createBalances>;

export function createBalances({ now = () => performance.now() }: { now?: () => number } = {}) {
  const balances = new Map<number, { balance: string; at: number }>();
  return {
    set(account: number, balance: string) {
      if (balances.size >= MAX_ACCOUNTS) balances.clear();
      balances.set(account, { balance, at: now() });
    },
    /** Drops the stored balance before money moves. */
    delete: (account: number) => void balances.delete(account),
    /** Returns the last known balance, however old; `undefined` if it isn't known how much money has moved since. */
    getLast(account: number): { balance: string; ageMs: number } | undefined {
      const last = balances.get(account);
      return last && { balance: last.balance, ageMs: now() - last.at };
    },
    /** Returns the balance if it was read within the last five seconds, otherwise `undefined`. */
    getRecent(account: number): string | undefined {
      const last = balances.get(account);
      return last !== undefined && now() - last.at < MAX_AGE_MS ? last.balance : undefined;
    },
  };
}
