import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Accounts } from './accounts.ts';
import { type Account, type Deposit, nextId } from './state.ts';
import type { Sun } from './sun.ts';
import type { World } from './world.ts';

export interface Deposits {
  /** Credits a deposit of TRX, 1:1 (section 2). */
  credit(account: Account, amount: Sun): Deposit;
  /** Newest first. */
  of(account: Account): Deposit[];
}

export function createDeposits({ world, accounts }: { world: World; accounts: Accounts }): Deposits {
  return {
    credit(account, amount) {
      const id = nextId(world.state, 'deposit');
      const txHash = bytesToHex(sha256(utf8ToBytes(`deposit ${id}`)));
      const deposit = { id, accountId: account.id, amount, txHash, createdAt: world.clock.now() };
      world.state.deposits.push(deposit);
      accounts.enter(account, { kind: 'deposit', amount });
      return deposit;
    },
    of: (account) => world.state.deposits.filter((deposit) => deposit.accountId === account.id).reverse(),
  };
}
