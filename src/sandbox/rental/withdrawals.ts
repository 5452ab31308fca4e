import type { Accounts, Books } from './accounts.ts';
import { ApiError, errorDetail } from './api-error.ts';
import { type Account, nextId } from './state.ts';
import type { Sun } from './sun.ts';
import { SERVICE } from './wallets.ts';
import type { Webhooks } from './webhooks.ts';
import { type Withdrawal, withdrawalRecord } from './withdrawal.ts';
import type { World } from './world.ts';

/** Fee of a withdrawal in sun (section 8). */
const FEE: Sun = 1_000_000n;

export interface Withdrawals {
  /**
   * Charges the amount and the fee, and creates a withdrawal.
   * @throws ApiError 400 INSUFFICIENT_BALANCE, or INVALID_ADDRESS for the service's own address.
   */
  create(account: Account, request: Pick<Withdrawal, 'toAddress' | 'amount'>): Withdrawal;
  /** Sends a pending withdrawal. @throws ApiError 404, or 409 if it isn't pending. */
  complete(id: number): Withdrawal;
  /** Marks a pending withdrawal as failed and refunds amount and fee. @throws ApiError 404, or 409 if it isn't pending. */
  fail(id: number): Withdrawal;
  /** Returns the account's withdrawals, newest first. */
  listFor(account: Account): Withdrawal[];
  /** Schedules the completion of pending withdrawals in a restored state. */
  resume(): void;
}

/**
 * `completeAfterMs`: time until withdrawals are completed automatically. With 0 their creation returns `completed`. If
 * omitted, only the control API completes them.
 */
export function createWithdrawals(deps: {
  world: World;
  books: Books;
  accounts: Accounts;
  webhooks: Webhooks;
  completeAfterMs?: number;
}): Withdrawals {
  const { world, books, accounts, webhooks, completeAfterMs } = deps;

  const send = (withdrawal: Withdrawal) => {
    const { id, toAddress, amount, fee } = withdrawal;
    const account = accounts.ownerOf(withdrawal);
    withdrawal.status = 'completed';
    const memo = `withdrawal ${id}`;
    const returnTo = account.chainAddress;
    withdrawal.txHash = books.pay({ to: toAddress, currency: 'TRX', amount, memo, returnTo }).hash;
    books.earn('TRX', fee);
    webhooks.emit(account, 'withdrawal.completed', withdrawalRecord(withdrawal));
    return withdrawal;
  };

  const scheduleCompletion = (withdrawal: Withdrawal) => {
    if (completeAfterMs === undefined) return;
    world.scheduleAt(withdrawal.createdAt + completeAfterMs, () => {
      if (withdrawal.status === 'pending') send(withdrawal);
    });
  };

  const pending = (id: number) => {
    const withdrawal = world.state.withdrawals.find((candidate) => candidate.id === id);
    if (!withdrawal) throw new ApiError(404, `Withdrawal ${id} not found`);
    if (withdrawal.status === 'pending') return withdrawal;
    throw new ApiError(409, errorDetail('INVALID_STATE', `Withdrawal ${id} is ${withdrawal.status} already`));
  };

  return {
    create(account, { toAddress, amount }) {
      if (toAddress === SERVICE) {
        throw new ApiError(
          400,
          errorDetail('INVALID_ADDRESS', "The service's own address can't be withdrawn to"),
        );
      }
      const id = nextId(world.state, 'withdrawals');
      accounts.addLedgerEntry(account, { kind: 'withdrawal', amount: -(amount + FEE), withdrawalId: id });
      const withdrawal: Withdrawal = {
        id,
        accountId: account.id,
        toAddress,
        amount,
        fee: FEE,
        createdAt: world.clock.now(),
        status: 'pending',
      };
      world.state.withdrawals.push(withdrawal);
      world.changed();
      if (completeAfterMs === 0) return send(withdrawal);
      scheduleCompletion(withdrawal);
      return withdrawal;
    },
    complete: (id) => send(pending(id)),
    fail(id) {
      const withdrawal = pending(id);
      withdrawal.status = 'failed';
      const amount = withdrawal.amount + withdrawal.fee;
      accounts.addLedgerEntry(accounts.ownerOf(withdrawal), {
        kind: 'withdrawal_refund',
        amount,
        withdrawalId: id,
      });
      return withdrawal;
    },
    listFor: (account) =>
      world.state.withdrawals.filter(({ accountId }) => accountId === account.id).reverse(),
    resume() {
      for (const withdrawal of world.state.withdrawals) {
        if (withdrawal.status === 'pending') scheduleCompletion(withdrawal);
      }
    },
  };
}
