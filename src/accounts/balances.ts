/**
 * Maximum age of a balance that is shown without a new request, in milliseconds. Purchases use the same request limit
 * of the account.
 */
const MAX_AGE_MS = 5_000;
const MAX_ACCOUNTS = 10_000;

/** Last known balances of accounts, in TRX, decimal. Each process has its own. */
export type Balances = ReturnType<typeof createBalances>;

export function createBalances({ now = () => performance.now() }: { now?: () => number } = {}) {
  /**
   * Results of reads up to number `read` are ignored: they are older. `balance` is `undefined` after money has moved.
   */
  const balances = new Map<number, { balance: string | undefined; read: number; at: number }>();
  let reads = 0;

  function store(account: number, balance: string | undefined, read: number): void {
    if (balances.size >= MAX_ACCOUNTS) balances.clear();
    balances.set(account, { balance, read, at: now() });
  }

  function getLast(account: number): { balance: string; ageMs: number } | undefined {
    const { balance, at = 0 } = balances.get(account) ?? {};
    return balance === undefined ? undefined : { balance, ageMs: now() - at };
  }

  return {
    set: (account: number, balance: string) => store(account, balance, reads),
    /**
     * Registers a read from the service that begins now. The returned function stores its result, unless money has moved
     * since or the result of a later read is stored.
     */
    startRead(account: number): (balance: string) => void {
      reads += 1;
      const read = reads;
      return (balance) => {
        if ((balances.get(account)?.read ?? 0) < read) store(account, balance, read);
      };
    },
    /** Drops the stored balance, and the results of reads in progress. Call before and after money moves. */
    delete: (account: number) => store(account, undefined, reads),
    /** Returns the last known balance, however old. `undefined` if there is none, or if money has moved since. */
    getLast,
    /** Returns the balance if it was read within the last five seconds, otherwise `undefined`. */
    getRecent(account: number): string | undefined {
      const last = getLast(account);
      return last !== undefined && last.ageMs < MAX_AGE_MS ? last.balance : undefined;
    },
  };
}
