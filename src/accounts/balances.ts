/** Who leafs through menus uses up nothing of what an account may ask of the service in a minute: purchases ask too. */
const KEPT_MS = 5_000;
const ACCOUNTS = 10_000;

/** What accounts were last seen to have, in TRX, decimal: for seconds, and for this process alone. */
export interface Balances {
  keep(account: number, balance: string): void;
  /** Money is about to move: what was read before is no longer so. */
  forget(account: number): void;
  /** `undefined` where it wasn't read lately. */
  lately(account: number): string | undefined;
  /** What was read last, however long ago; `undefined` where money has moved since. */
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
      return known !== undefined && now() - known.at < KEPT_MS ? known.balance : undefined;
    },
  };
}
