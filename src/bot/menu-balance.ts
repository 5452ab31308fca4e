import type { Balances } from '../accounts/balances.ts';
import type { Payer, Quotes } from './quotes.ts';

/** A menu doesn't wait longer for what only heads it. */
const WITHIN_MS = 1_000;
/** Timers may end this much early. */
const SLACK_MS = 50;
/** After one that waited in vain, no other waits at all for so long: menus must open while the service hangs. */
const REST_MS = 10_000;

/** The balance that heads menus: a few seconds old at most, and at once or not at all. */
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
