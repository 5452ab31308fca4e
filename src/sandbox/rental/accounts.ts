import { ApiError, errorDetail } from './api-error.ts';
import type { Chain, Transfer } from './chain.ts';
import { heldFor } from './invoice.ts';
import { type Account, type LedgerEntry, nextId, type State } from './state.ts';
import { type Sun, trxFromSun } from './sun.ts';
import type { Transaction } from './transaction.ts';
import { CURRENCIES, type Currency, FAUCET, type Money, SERVICE } from './wallets.ts';
import type { World } from './world.ts';

/**
 * Accounting of the service's wallet. It consists of the accounts' balances, money held for pending records, and income.
 * Incoming money is held first. A ledger entry moves money between a balance and the held money. Completed records turn
 * held money into income.
 */
export interface Books {
  /** Transfers money to the service's wallet and holds it. */
  receive(transfer: Omit<Transfer, 'to'>): Transaction;
  /** Transfers held money out of the service's wallet. */
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

/** Ledger entry to be written. Without an amount no money moves. */
type Entry = Partial<Omit<LedgerEntry, 'id' | 'at' | 'accountId' | 'balance'>> & Pick<LedgerEntry, 'kind'>;

export interface Accounts {
  byId(id: number): Account | undefined;
  byKey(key: string | undefined): Account | undefined;
  /** Returns the account of a record. @throws ApiError 404 if there is no such account. */
  ownerOf(record: { accountId: number }): Account;
  /**
   * Writes a ledger entry and moves `amount` from the held money to the account's balance. A charge is negative and moves
   * money from the balance to the held money.
   * @throws ApiError 400 INSUFFICIENT_BALANCE without any change if the balance doesn't suffice.
   */
  addLedgerEntry(account: Account, entry: Entry): void;
  /** Gives the account this key. An account that had it gets the former key of this one. */
  assignKey(account: Account, key: string): void;
  /** Sets the balance. The difference is transferred from or to the faucet. */
  adjust(account: Account, balance: Sun): void;
}

export function createAccounts({ world, books }: { world: World; books: Books }): Accounts {
  const addLedgerEntry: Accounts['addLedgerEntry'] = (account, { amount = 0n, ...entry }) => {
    const balance = account.balance + amount;
    if (balance < 0n) {
      const message = `${trxFromSun(-amount)} TRX needed, ${trxFromSun(account.balance)} TRX available`;
      throw new ApiError(400, errorDetail('INSUFFICIENT_BALANCE', message));
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
    ownerOf({ accountId }) {
      const account = byId(accountId);
      if (!account) throw new ApiError(404, `Account ${accountId} not found`);
      return account;
    },
    addLedgerEntry,
    assignKey(account, key) {
      const former = world.state.accounts.find((one) => one.key === key);
      if (former) former.key = account.key;
      account.key = key;
      world.changed();
    },
    adjust(account, balance) {
      const amount = balance - account.balance;
      const outside = { currency: 'TRX', memo: `adjustment of account ${account.id}` } as const;
      if (amount > 0n) books.receive({ from: FAUCET, amount, ...outside });
      addLedgerEntry(account, { kind: 'adjustment', amount });
      if (amount < 0n) books.pay({ to: FAUCET, amount: -amount, ...outside });
    },
  };
}

export interface Audit {
  ok: boolean;
  /** Descriptions of sums that are wrong. */
  faults: string[];
  /** Sum of all account balances. With `held` and `income` it makes up the service's wallet. */
  balances: Money;
  held: Money;
  income: Money;
}

/**
 * Checks that money is conserved, to the sun:
 * - All wallets add up to zero.
 * - The service's wallet equals balances, held money and income.
 * - A payment address holds the kept payments of its invoice.
 * - Each balance equals the sum of its ledger.
 * - The held money equals the sum of pending orders and withdrawals.
 */
export function audit(state: State): Audit {
  const faults: string[] = [];
  const expect = (what: string, found: bigint, expected: bigint) => {
    if (found !== expected) faults.push(`${what}: ${trxFromSun(found)}, not ${trxFromSun(expected)}`);
  };

  const balances: Money = { TRX: sum(state.accounts.map(({ balance }) => balance)), USDT: 0n };
  const { held, income } = state;
  for (const currency of CURRENCIES) {
    const wallets = [...state.wallets.values()].map((wallet) => wallet[currency]);
    const service = state.wallets.get(SERVICE)?.[currency] ?? 0n;
    const owedAndEarned = balances[currency] + held[currency] + income[currency];
    expect(`${currency} in all wallets`, sum(wallets), 0n);
    expect(`${currency} in the service's wallet`, service, owedAndEarned);
    if (income[currency] < 0n) faults.push(`${currency} of income: ${trxFromSun(income[currency])}`);
  }
  for (const invoice of state.invoices) {
    for (const currency of CURRENCIES) {
      const held = state.wallets.get(invoice.paymentAddress)?.[currency] ?? 0n;
      expect(`${currency} paid for invoice ${invoice.id}`, held, heldFor(invoice, currency));
    }
  }
  expect('TRX held', held.TRX, pendingTrx(state));
  expect('USDT held', held.USDT, 0n);

  const ledgerSums = new Map<number, Sun>();
  for (const { accountId, amount } of state.ledger) {
    ledgerSums.set(accountId, (ledgerSums.get(accountId) ?? 0n) + amount);
  }
  for (const { id, balance, openingBalance } of state.accounts) {
    expect(`balance of account ${id}`, balance, openingBalance + (ledgerSums.get(id) ?? 0n));
    if (balance < 0n) faults.push(`balance of account ${id}: ${trxFromSun(balance)}`);
  }
  return { ok: faults.length === 0, faults, balances, held, income };
}

/** Returns the sum of charges that may still be refunded. */
function pendingTrx({ orders, withdrawals }: State): Sun {
  const prices = orders.filter(({ status }) => status === 'pending').map(({ price }) => price);
  const sums = withdrawals
    .filter(({ status }) => status === 'pending')
    .map(({ amount, fee }) => amount + fee);
  return sum([...prices, ...sums]);
}

function sum(amounts: Sun[]): Sun {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
