import type { Balances } from '../accounts/balances.ts';
import type { Payer, Quotes } from './quotes.ts';

/** Maximum time that a menu waits for its balance, in milliseconds. */
const WITHIN_MS = 1_000;
/** Timers may fire this much early, in milliseconds. */
const SLACK_MS = 50;
/**
 * Time after a timeout during which no menu waits for a balance, in milliseconds. Menus must open while the service
 * hangs.
 */
const REST_MS = 10_000;

/**
 * Creates the function that returns the balance for menus, at most a few seconds old, or `undefined` if it isn't
 * available quickly.
 */
export function createMenuBalance({
  quotes,
  balances,
}: {
  quotes: Pick<Quotes, 'balance'>;
  balances: Balances;
}): (payer: Payer) => Promise<string | undefined> {
  let restsUntil = 0;

  return async (payer) => {
    const began = performance.now();
    const known = balances.lately(payer.account);
    if (known !== undefined || began < restsUntil) return known;
    const balance = await quotes.balance(payer, WITHIN_MS);
    const ended = performance.now();
    if (balance !== undefined) balances.keep(payer.account, balance);
    else if (ended - began >= WITHIN_MS - SLACK_MS) restsUntil = ended + REST_MS;
    return balance;
  };
}
