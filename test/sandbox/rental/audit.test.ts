import { describe, expect, it } from 'vitest';
import { audit } from '../../../src/sandbox/rental/accounts.ts';
import type { Order } from '../../../src/sandbox/rental/order.ts';
import type { State } from '../../../src/sandbox/rental/state.ts';
import { createState, demoSeed } from '../../../src/sandbox/rental/state.ts';
import { FAUCET, move, SERVICE, walletOf } from '../../../src/sandbox/rental/wallets.ts';

const TRX = { currency: 'TRX', amount: 1n } as const;

const order: Order = {
  id: 1,
  kind: 'energy',
  accountId: 1001,
  address: FAUCET,
  amount: 65_000,
  durationHours: 1,
  price: 1n,
  createdAt: 0,
  status: 'pending',
};

describe('the audit', () => {
  it('finds no fault in the initial state', () => {
    expect(audit(createState(demoSeed()))).toEqual({
      ok: true,
      faults: [],
      balances: { TRX: 2_150_000_000n, USDT: 0n },
      held: { TRX: 0n, USDT: 0n },
      income: { TRX: 0n, USDT: 0n },
    });
  });

  it.each<[string, (state: State) => void, string[]]>([
    [
      'money from nowhere',
      ({ wallets }) => {
        walletOf(wallets, FAUCET).USDT += 1n;
      },
      ['USDT in all wallets: 0.000001, not 0.00'],
    ],
    [
      'money of the service without an owner',
      ({ wallets }) => move(wallets, { from: FAUCET, to: SERVICE, ...TRX }),
      ["TRX in the service's wallet: 2150.000001, not 2150.00"],
    ],
    [
      'held money without a reason',
      (state) => {
        state.held.TRX += 1n;
        state.income.TRX += 1n;
        move(state.wallets, { from: FAUCET, to: SERVICE, ...TRX, amount: 2n });
      },
      ['TRX held: 0.000001, not 0.00'],
    ],
    [
      'an order whose price is not held',
      ({ orders }) => orders.push(order),
      ['TRX held: 0.00, not 0.000001'],
    ],
    [
      'a balance that differs from the ledger',
      (state) => {
        for (const account of state.accounts.slice(0, 1)) account.balance += 1n;
        state.income.TRX -= 1n;
      },
      ['TRX of income: -0.000001', 'balance of account 1001: 1000.000001, not 1000.00'],
    ],
  ])('finds %s', (_, spoil, faults) => {
    const state = createState(demoSeed());
    spoil(state);
    expect(audit(state)).toMatchObject({ ok: false, faults });
  });

  it('accepts a filled order', () => {
    const state = createState(demoSeed());
    state.orders.push({ ...order, status: 'filled' });
    expect(audit(state).ok).toBe(true);
  });
});
