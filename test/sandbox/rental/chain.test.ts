import { describe, expect, it } from 'vitest';
import { createChain } from '../../../src/sandbox/rental/chain.ts';
import { chainAddressOf } from '../../../src/sandbox/rental/chain-address.ts';
import { FAUCET, SERVICE } from '../../../src/sandbox/rental/wallets.ts';
import { START } from './rental-server.ts';
import { stillWorld } from './still-world.ts';

const [ALICE, BOB] = [chainAddressOf('alice'), chainAddressOf('bob')];
const HOUR = 3_600_000;

function still() {
  const { world, clock } = stillWorld();
  const chain = createChain(world);
  const give = (to: string, currency: 'TRX' | 'USDT', amount: bigint) =>
    chain.transfer({ from: FAUCET, to, currency, amount });
  return { world, clock, chain, give };
}

describe('a transfer', () => {
  it('moves money from one address to another', () => {
    const { world, chain, give } = still();
    give(ALICE, 'TRX', 10n);
    const transaction = chain.transfer({ from: ALICE, to: BOB, currency: 'TRX', amount: 4n, memo: 'lunch' });
    expect(transaction).toEqual({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      at: START,
      kind: 'transfer',
      from: ALICE,
      to: BOB,
      currency: 'TRX',
      amount: 4n,
      memo: 'lunch',
    });
    expect(chain.getWallet(ALICE).TRX).toBe(6n);
    expect(chain.getWallet(BOB).TRX).toBe(4n);
    expect(world.state.transactions.at(-1)).toBe(transaction);
    expect(new Set(world.state.transactions.map(({ hash }) => hash)).size).toBe(2);
  });

  it('never changes the sum of all balances', () => {
    const { world, chain, give } = still();
    const sum = (currency: 'TRX' | 'USDT') =>
      [...world.state.wallets.values()].reduce((total, wallet) => total + wallet[currency], 0n);
    expect([sum('TRX'), sum('USDT')]).toEqual([0n, 0n]);
    expect(chain.getWallet(SERVICE).TRX).toBe(2_150_000_000n);
    give(ALICE, 'TRX', 7n);
    give(ALICE, 'USDT', 9n);
    chain.transfer({ from: ALICE, to: SERVICE, currency: 'USDT', amount: 9n });
    expect([sum('TRX'), sum('USDT')]).toEqual([0n, 0n]);
  });

  it('notifies listeners until they unsubscribe', () => {
    const { chain, give } = still();
    const heard: bigint[] = [];
    const unsubscribe = chain.onTransfer(({ amount }) => heard.push(amount));
    give(ALICE, 'TRX', 1n);
    chain.activate(BOB);
    unsubscribe();
    give(ALICE, 'TRX', 2n);
    expect(heard).toEqual([1n]);
  });

  it.each([
    ['more than the balance', { amount: 11n }, 400],
    ['an amount of zero', { amount: 0n }, 400],
    ['a negative amount', { amount: -1n }, 400],
    ['the sender’s own address', { to: ALICE }, 400],
    ['a currency that the sender does not have', { currency: 'USDT' as const }, 400],
  ])('is rejected for %s', (_, wrong, status) => {
    const { world, chain, give } = still();
    give(ALICE, 'TRX', 10n);
    const body = { from: ALICE, to: BOB, currency: 'TRX' as const, amount: 1n, ...wrong };
    expect(() => chain.transfer(body)).toThrow(expect.objectContaining({ status }));
    expect(chain.getWallet(ALICE).TRX).toBe(10n);
    expect(world.state.transactions).toHaveLength(1);
  });
});

describe('an address', () => {
  it('is empty and inactive before its first transfer', () => {
    const { world, chain } = still();
    expect(chain.getWallet(ALICE)).toEqual({
      TRX: 0n,
      USDT: 0n,
      active: false,
      ofService: false,
      delegations: [],
    });
    expect(world.state.wallets.has(ALICE)).toBe(false);
  });

  it('can receive tokens only once it is active, by an activation or by TRX', () => {
    const { chain, give } = still();
    expect(() => give(ALICE, 'USDT', 1n)).toThrow(expect.objectContaining({ status: 409 }));
    chain.activate(ALICE);
    give(BOB, 'TRX', 1n);
    give(ALICE, 'USDT', 1n);
    give(BOB, 'USDT', 1n);
    expect([chain.getWallet(ALICE).USDT, chain.getWallet(BOB).USDT]).toEqual([1n, 1n]);
  });

  it('is activated once', () => {
    const { chain, give } = still();
    give(ALICE, 'TRX', 1n);
    chain.activate(BOB);
    for (const address of [ALICE, BOB, SERVICE, FAUCET]) {
      expect(() => chain.activate(address)).toThrow(expect.objectContaining({ status: 409 }));
    }
  });

  it('is opened for the service, active and always the same for a label', () => {
    const { chain, give } = still();
    const address = chain.openAddress('invoice 1');
    expect(chain.getWallet(address)).toMatchObject({ active: true, ofService: true });
    give(address, 'USDT', 5n);
    expect(chain.openAddress('invoice 1')).toBe(address);
    expect(chain.getWallet(address).USDT).toBe(5n);
    expect(chain.openAddress('invoice 2')).not.toBe(address);
  });
});

describe('a delegation', () => {
  it.each([1, 24])('expires after %i h of the clock', (hours) => {
    const { clock, chain } = still();
    const { hash } = chain.delegate({ address: ALICE, resource: 'energy', amount: 65_000, hours });
    clock.advance(hours * HOUR - 1);
    expect(chain.getWallet(ALICE).delegations).toEqual([
      { resource: 'energy', amount: 65_000, expiresAt: START + hours * HOUR, txHash: hash },
    ]);
    clock.advance(1);
    expect(chain.getWallet(ALICE).delegations).toEqual([]);
  });

  it('ends independently of others', () => {
    const { clock, chain } = still();
    chain.delegate({ address: ALICE, resource: 'energy', amount: 1, hours: 1 });
    chain.delegate({ address: ALICE, resource: 'energy', amount: 2, hours: 24 });
    chain.delegate({ address: ALICE, resource: 'bandwidth', amount: 3, hours: 24 });
    clock.advance(HOUR);
    expect(chain.getWallet(ALICE).delegations.map(({ amount }) => amount)).toEqual([2, 3]);
  });

  it('reports a change of the state when it expires', () => {
    const { world, clock, chain } = still();
    chain.delegate({ address: ALICE, resource: 'energy', amount: 1, hours: 1 });
    const revision = world.revision;
    clock.scheduleAt(START + HOUR + 1, () => expect(world.revision).toBe(revision + 1));
    clock.advance(HOUR + 1);
    expect.assertions(1);
  });
});
