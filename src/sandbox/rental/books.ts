import type { Chain, Transfer } from './chain.ts';
import { type Currency, SERVICE } from './purses.ts';
import type { Transaction } from './transaction.ts';
import type { World } from './world.ts';

/**
 * What the service's own purse is made of: the balances of the accounts, what is held for something pending, and income.
 * Money from outside is held first; an account's entry moves between its balance and what is held; what is done is earned.
 */
export interface Books {
  /** Money comes into the service's purse, and is held. */
  receive(transfer: Omit<Transfer, 'to'>): Transaction;
  /** Money that is held leaves the service's purse. */
  pay(transfer: Omit<Transfer, 'from'>): Transaction;
  /** What was held becomes income. */
  earn(currency: Currency, amount: bigint): void;
}

export function createBooks({ world, chain }: { world: World; chain: Chain }): Books {
  return {
    receive(transfer) {
      const transaction = chain.transfer({ ...transfer, to: SERVICE });
      world.state.held[transfer.currency] += transfer.amount;
      return transaction;
    },
    pay(transfer) {
      const transaction = chain.transfer({ ...transfer, from: SERVICE });
      world.state.held[transfer.currency] -= transfer.amount;
      return transaction;
    },
    earn(currency, amount) {
      world.state.held[currency] -= amount;
      world.state.income[currency] += amount;
      world.changed();
    },
  };
}
