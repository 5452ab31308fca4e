import type { Books } from './books.ts';
import { FAUCET } from './purses.ts';
import { coded, Refusal } from './refusal.ts';
import { type Account, type LedgerEntry, nextId } from './state.ts';
import { type Sun, trxFromSun } from './sun.ts';
import type { World } from './world.ts';

/** What is known of an entry beforehand; without an amount no money moves. */
type Entry = Partial<Omit<LedgerEntry, 'id' | 'at' | 'accountId' | 'balance'>> & Pick<LedgerEntry, 'kind'>;

export interface Accounts {
  byId(id: number): Account | undefined;
  byKey(key: string | undefined): Account | undefined;
  /** Whose record it is. @throws Refusal 404 when there is no such account. */
  of(record: { accountId: number }): Account;
  /**
   * Writes to the ledger what was executed for an account, and moves `amount` to its balance from what the books hold
   * (a charge, which is negative, the other way).
   * @throws Refusal 400 INSUFFICIENT_BALANCE, with nothing written, when the balance doesn't suffice.
   */
  enter(account: Account, entry: Entry): void;
  /** Sets the balance: the difference comes from outside, or goes there. */
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
