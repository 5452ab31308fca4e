import type { Payer, Quotes } from './quotes.ts';

/** A menu doesn't wait longer for what only heads it. */
const WITHIN_MS = 1_000;
/** Timers may end this much early. */
const SLACK_MS = 50;
/** After one that waited in vain, no other waits at all for so long: menus must open while the service hangs. */
const REST_MS = 10_000;
/** Who leafs through menus uses up nothing of what an account may ask of the service in a minute: purchases ask too. */
const KEPT_MS = 10_000;
const ACCOUNTS = 10_000;

/** The balance that heads menus: a few seconds old at most, and at once or not at all. */
export function createMenuBalance({
  quotes,
}: {
  quotes: Pick<Quotes, 'balance'>;
}): (payer: Payer) => Promise<string | undefined> {
  const seen = new Map<number, { balance: string; at: number }>();
  let restsUntil = 0;

  return async (payer) => {
    const began = performance.now();
    const known = seen.get(payer.account);
    if (known !== undefined && began - known.at < KEPT_MS) return known.balance;
    if (began < restsUntil) return undefined;
    const balance = await quotes.balance(payer, WITHIN_MS);
    const ended = performance.now();
    if (balance === undefined) {
      if (ended - began >= WITHIN_MS - SLACK_MS) restsUntil = ended + REST_MS;
      return undefined;
    }
    if (seen.size >= ACCOUNTS) seen.clear();
    seen.set(payer.account, { balance, at: ended });
    return balance;
  };
}
