import { coded, Refusal } from './refusal.ts';
import { type Account, type LedgerKind, nextId } from './state.ts';
import { type Sun, trxFromSun } from './sun.ts';
import type { World } from './world.ts';

export interface Accounts {
  byId(id: number): Account | undefined;
  byKey(key: string | undefined): Account | undefined;
  /**
   * Writes to the ledger what was executed for an account, and moves its balance by `amount`.
   * @throws Refusal 400 INSUFFICIENT_BALANCE, with nothing written, when the balance doesn't suffice.
   */
  enter(account: Account, entry: { kind: LedgerKind; amount?: Sun; orderId?: number }): void;
}

export function createAccounts(world: World): Accounts {
  return {
    byId: (id) => world.state.accounts.find((account) => account.id === id),
    byKey: (key) => world.state.accounts.find((account) => account.key === key),
    enter(account, { kind, amount = 0n, orderId }) {
      const balance = account.balance + amount;
      if (balance < 0n) {
        const message = `${trxFromSun(-amount)} TRX needed, ${trxFromSun(account.balance)} TRX available`;
        throw new Refusal(400, coded('INSUFFICIENT_BALANCE', message));
      }
      account.balance = balance;
      const { state, clock } = world;
      const id = nextId(state, 'ledger');
      state.ledger.push({ id, at: clock.now(), accountId: account.id, kind, amount, balance, orderId });
      world.changed();
    },
  };
}
