import type { Chain, Transfer } from './chain.ts';
import { type Currency, SERVICE } from './purses.ts';
import type { Transaction } from './transaction.ts';
import type { World } from './world.ts';

/**
 * Accounting of the service's purse. It consists of the accounts' balances, money held for pending records, and income.
 * Incoming money is held first. A ledger entry moves money between a balance and the held money. Completed records turn
 * held money into income.
 */
export interface Books {
  /** Transfers money to the service's purse and holds it. */
  receive(transfer: Omit<Transfer, 'to'>): Transaction;
  /** Transfers held money out of the service's purse. */
  pay(transfer: Omit<Transfer, 'from'>): Transaction;
  /** Turns held money into income. */
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
