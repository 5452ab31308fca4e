import type { Accounts } from './accounts.ts';
import type { Books } from './books.ts';
import type { Chain } from './chain.ts';
import { coded, Refusal } from './refusal.ts';
import type { Account } from './state.ts';
import type { Sun } from './sun.ts';
import type { Transaction } from './transaction.ts';

/** Price of an activation in sun (section 8). */
const COST: Sun = 1_100_000n;

export interface Activation {
  /**
   * Charges the account and activates an address on the chain.
   * @throws Refusal 409 ADDRESS_ALREADY_ACTIVE, 400 INSUFFICIENT_BALANCE, with nothing charged.
   */
  activate(account: Account, address: string): Transaction;
}

export function createActivation(deps: { chain: Chain; books: Books; accounts: Accounts }): Activation {
  const { chain, books, accounts } = deps;
  return {
    activate(account, address) {
      if (chain.look(address).active) {
        throw new Refusal(409, coded('ADDRESS_ALREADY_ACTIVE', `${address} is active already`));
      }
      accounts.enter(account, { kind: 'activation', amount: -COST });
      books.earn('TRX', COST);
      return chain.activate(address);
    },
  };
}
