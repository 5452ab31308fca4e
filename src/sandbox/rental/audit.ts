import { heldFor } from './invoice.ts';
import { CURRENCIES, type Money, SERVICE } from './purses.ts';
import type { State } from './state.ts';
import { type Sun, trxFromSun } from './sun.ts';

export interface Audit {
  ok: boolean;
  /** Descriptions of sums that are wrong. */
  faults: string[];
  /** Sum of all account balances. With `held` and `income` it makes up the service's purse. */
  balances: Money;
  held: Money;
  income: Money;
}

/**
 * Checks that money is conserved, to the sun:
 * - All purses add up to zero.
 * - The service's purse equals balances, held money and income.
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
    const purses = [...state.purses.values()].map((purse) => purse[currency]);
    const service = state.purses.get(SERVICE)?.[currency] ?? 0n;
    const claims = balances[currency] + held[currency] + income[currency];
    expect(`${currency} in all purses`, sum(purses), 0n);
    expect(`${currency} in the service's purse`, service, claims);
    if (income[currency] < 0n) faults.push(`${currency} of income: ${trxFromSun(income[currency])}`);
  }
  for (const invoice of state.invoices) {
    for (const currency of CURRENCIES) {
      const held = state.purses.get(invoice.paymentAddress)?.[currency] ?? 0n;
      expect(`${currency} paid for invoice ${invoice.id}`, held, heldFor(invoice, currency));
    }
  }
  expect('TRX held', held.TRX, pendingTrx(state));
  expect('USDT held', held.USDT, 0n);

  const entered = new Map<number, Sun>();
  for (const { accountId, amount } of state.ledger) {
    entered.set(accountId, (entered.get(accountId) ?? 0n) + amount);
  }
  for (const { id, balance, openingBalance } of state.accounts) {
    expect(`balance of account ${id}`, balance, openingBalance + (entered.get(id) ?? 0n));
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
