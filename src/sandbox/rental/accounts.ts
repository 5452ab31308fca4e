import type { Books } from './books.ts';
import { FAUCET } from './purses.ts';
import { coded, Refusal } from './refusal.ts';
import { type Account, type LedgerEntry, nextId } from './state.ts';
import { type Sun, trxFromSun } from './sun.ts';
import type { World } from './world.ts';

/** Ledger entry to be written. Without an amount no money moves. */
type Entry = Partial<Omit<LedgerEntry, 'id' | 'at' | 'accountId' | 'balance'>> & Pick<LedgerEntry, 'kind'>;

export interface Accounts {
  byId(id: number): Account | undefined;
  byKey(key: string | undefined): Account | undefined;
  /** Returns the account of a record. @throws Refusal 404 if there is no such account. */
  of(record: { accountId: number }): Account;
  /**
   * Writes a ledger entry and moves `amount` from the held money to the account's balance. A charge is negative and moves
   * money from the balance to the held money.
   * @throws Refusal 400 INSUFFICIENT_BALANCE without any change if the balance doesn't suffice.
   */
  enter(account: Account, entry: Entry): void;
  /** Sets the balance. The difference is transferred from or to the faucet. */
  adjust(account: Account, balance: Sun): void;
}

export function createAccounts({ world, books }: { world: World; books: Books }): Accounts {
  const enter: Accounts['enter'] = (account, { amount = 0n, ...entry }) => {
    const balance = account.balance + amount;
    if (balance < 0n) {
      const message = `${trxFromSun(-amount)} TRX needed, ${trxFromSun(account.balance)} TRX available`;
      throw new Refusal(400, coded('INSUFFICIENT_BALANCE', message));
    }
    account.balance = balance;
    const { state, clock } = world;
    state.held.TRX -= amount;
    const id = nextId(state, 'ledger');
    state.ledger.push({ id, at: clock.now(), accountId: account.id, amount, balance, ...entry });
    world.changed();
  };

  const byId = (id: number) => world.state.accounts.find((account) => account.id === id);

  return {
    byId,
    byKey: (key) => world.state.accounts.find((account) => account.key === key),
    of({ accountId }) {
      const account = byId(accountId);
      if (!account) throw new Refusal(404, `Account ${accountId} not found`);
      return account;
    },
    enter,
    adjust(account, balance) {
      const amount = balance - account.balance;
      const outside = { currency: 'TRX', memo: `adjustment of account ${account.id}` } as const;
      if (amount > 0n) books.receive({ from: FAUCET, amount, ...outside });
      enter(account, { kind: 'adjustment', amount });
      if (amount < 0n) books.pay({ to: FAUCET, amount: -amount, ...outside });
    },
  };
}
