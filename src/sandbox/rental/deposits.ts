import type { Accounts, Books } from './accounts.ts';
import { ApiError, errorDetail } from './api-error.ts';
import type { Chain } from './chain.ts';
import { type Deposit, depositRecord } from './deposit.ts';
import { trxFromUsdt } from './prices.ts';
import { type Account, nextId } from './state.ts';
import type { Transaction } from './transaction.ts';
import { type Currency, FAUCET } from './wallets.ts';
import type { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

/** Deposits of the accounts. Every transfer to a deposit address creates a pending deposit. */
export interface Deposits {
  /** Transfers money from the faucet to the account's deposit address. */
  send(account: Account, transfer: { currency: Currency; amount: bigint }): Deposit;
  /** Credits a pending deposit: TRX 1:1, USDT at the fixed rate. @throws ApiError 404, or 409 if it isn't pending. */
  confirm(id: number): Deposit;
  /** Expires a pending deposit. Its money stays at the address. @throws ApiError 404, or 409 if it isn't pending. */
  expire(id: number): Deposit;
  /** Returns the account's deposits, newest first. */
  listFor(account: Account): Deposit[];
  /** Schedules the confirmation of pending deposits in a restored state. */
  resume(): void;
}

/** `confirmAfterMs`: time until deposits are confirmed automatically. If omitted, only the control API confirms them. */
export function createDeposits(deps: {
  world: World;
  chain: Chain;
  books: Books;
  accounts: Accounts;
  webhooks: Webhooks;
  confirmAfterMs?: number;
}): Deposits {
  const { world, chain, books, accounts, webhooks, confirmAfterMs } = deps;

  const credit = (deposit: Deposit) => {
    const account = accounts.ownerOf(deposit);
    const { id, currency, amount, amountTrx } = deposit;
    const memo = `deposit ${id}`;
    deposit.status = 'confirmed';
    deposit.confirmedAt = world.clock.now();
    books.receive({ from: account.depositAddress, currency, amount, memo });
    if (currency === 'USDT') {
      books.pay({ to: FAUCET, currency, amount, memo: `${memo}, sold` });
      books.receive({ from: FAUCET, currency: 'TRX', amount: amountTrx, memo: `${memo}, sold` });
    }
    accounts.addLedgerEntry(account, { kind: 'deposit', amount: amountTrx, depositId: id });
    webhooks.emit(account, 'deposit.confirmed', depositRecord(deposit));
    return deposit;
  };

  const scheduleConfirmation = (deposit: Deposit) => {
    if (confirmAfterMs === undefined) return;
    world.scheduleAt(deposit.createdAt + confirmAfterMs, () => {
      if (deposit.status === 'pending') credit(deposit);
    });
  };

  const detect = ({ to, from, currency, amount, hash, at }: Transaction) => {
    const account = world.state.accounts.find(({ depositAddress }) => depositAddress === to);
    if (!account) return;
    const deposit: Deposit = {
      id: nextId(world.state, 'deposits'),
      accountId: account.id,
      from,
      currency,
      amount,
      amountTrx: currency === 'TRX' ? amount : trxFromUsdt(amount),
      txHash: hash,
      createdAt: at,
      status: 'pending',
    };
    world.state.deposits.push(deposit);
    scheduleConfirmation(deposit);
    world.changed();
  };
  chain.onTransfer(detect);

  const find = (matches: (deposit: Deposit) => boolean, what: string) => {
    const deposit = world.state.deposits.findLast(matches);
    if (!deposit) throw new ApiError(404, `${what} not found`);
    return deposit;
  };
  const pending = (id: number) => {
    const deposit = find((candidate) => candidate.id === id, `Deposit ${id}`);
    if (deposit.status === 'pending') return deposit;
    throw new ApiError(409, errorDetail('INVALID_STATE', `Deposit ${id} is ${deposit.status} already`));
  };

  return {
    send(account, transfer) {
      const { hash } = chain.transfer({ from: FAUCET, to: account.depositAddress, ...transfer });
      return find(({ txHash }) => txHash === hash, `Deposit of ${hash}`);
    },
    confirm: (id) => credit(pending(id)),
    expire(id) {
      const deposit = pending(id);
      deposit.status = 'expired';
      world.changed();
      return deposit;
    },
    listFor: (account) =>
      world.state.deposits.filter((deposit) => deposit.accountId === account.id).reverse(),
    resume() {
      for (const deposit of world.state.deposits)
        if (deposit.status === 'pending') scheduleConfirmation(deposit);
    },
  };
}
