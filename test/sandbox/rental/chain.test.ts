import { beforeEach, describe, expect, it } from 'vitest';
import { audit } from '../../../src/sandbox/rental/accounts.ts';
import { createChain } from '../../../src/sandbox/rental/chain.ts';
import { chainAddressOf, isChainAddress } from '../../../src/sandbox/rental/chain-address.ts';
import type { Order } from '../../../src/sandbox/rental/order.ts';
import { createState, demoSeed, type State } from '../../../src/sandbox/rental/state.ts';
import { roundToCents, sunFromTrx, trxFromSun } from '../../../src/sandbox/rental/sun.ts';
import { FAUCET, move, SERVICE, walletOf } from '../../../src/sandbox/rental/wallets.ts';
import { ADDRESS, type CodedError, ORDER, START, stillWorld, useRental } from './rental-server.ts';

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
});

describe('a delegation', () => {
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

describe('a chain address', () => {
  it.each([
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4',
    'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig',
  ])('is %s', (text) => expect(isChainAddress(text)).toBe(true));

  it.each([
    'TRqtXk9mP7vJ2nLcQ8Wy3bFhKzR4ewDUyu',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T',
    '1TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    'TKVSaJQDWeKFSEXmA44pjxduGTxy999999',
    ADDRESS.slice(0, -1),
    ADDRESS.toLowerCase(),
    ` ${ADDRESS}`,
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    '',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6О',
  ])('is not %j', (text) => expect(isChainAddress(text)).toBe(false));

  it('is generated from a label: valid, and unique per label', () => {
    const address = chainAddressOf('demo chain');
    expect(address).toHaveLength(34);
    expect(isChainAddress(address)).toBe(true);
    expect(chainAddressOf('demo chain')).toBe(address);
    expect(chainAddressOf('demo deposit')).not.toBe(address);
  });
});

const rental = useRental();

describe('an address of the chain', () => {
  it('is shown even if it was never used', async () => {
    expect(await rental.wallet()).toEqual({
      address: ADDRESS,
      name: null,
      active: false,
      of_service: false,
      trx: '0.00',
      usdt: '0.00',
      energy: 0,
      bandwidth: 0,
      delegations: [],
      transactions: [],
    });
  });

  it('is shown with the energy of a filled order until its hour ends', async () => {
    await rental.start({ fillAfterMs: 0 });
    await rental.ask('POST', '/energy/buy', { body: ORDER });
    rental.clock.advance(0);
    const [transaction] = (await rental.state()).chain.transactions;
    expect(transaction).toMatchObject({ kind: 'delegation', to: ADDRESS, memo: '65000 energy for 1 h' });
    expect(await rental.wallet()).toMatchObject({
      energy: 65_000,
      bandwidth: 0,
      delegations: [
        {
          resource: 'energy',
          amount: 65_000,
          expires_at: '2025-06-01T13:00:00.000Z',
          tx_hash: transaction?.tx_hash,
        },
      ],
      transactions: [transaction],
    });
    rental.clock.advance(3_600_000);
    expect(await rental.wallet()).toMatchObject({ energy: 0, delegations: [] });
  });

  it('returns 400 for an invalid address', async () => {
    expect((await rental.control('GET', '/chain/addresses/T1')).status).toBe(400);
  });
});

describe('the chain in the state', () => {
  it("names the service's addresses and those of the accounts", async () => {
    const { chain, accounts } = await rental.state();
    const names = new Map(chain.addresses.map(({ address, name }) => [address, name]));
    expect(names.get(SERVICE)).toBe("the service's wallet");
    expect(names.get(FAUCET)).toBe('the rest of the world');
    expect(names.get(accounts[0]?.chain_address ?? '')).toBe('account 1001');
    expect(names.get(accounts[0]?.deposit_address ?? '')).toBe('deposits of account 1001');
  });

  it('shows the latest addresses and transactions, newest first, up to a limit', async () => {
    for (let index = 0; index < 60; index += 1) {
      const to = chainAddressOf(`person ${index}`);
      await rental.control('POST', '/transfers', { to, currency: 'TRX', amount: '1' });
    }
    const { chain } = await rental.state();
    expect(chain.transactions).toHaveLength(50);
    expect(chain.transactions[0]).toMatchObject({ to: chainAddressOf('person 59'), amount: '1.00' });
    expect(chain.addresses.map(({ address }) => address)).toContain(chainAddressOf('person 59'));
    expect(chain.addresses.map(({ address }) => address)).not.toContain(chainAddressOf('person 9'));
  });
});

describe('the audit in the state', () => {
  it.each(['0', '999.999999', '1000', '1000.000001', '5000'])(
    'passes when a balance is set to %s',
    async (balance_trx) => {
      await rental.control('POST', '/accounts/1001/balance', { balance_trx });
      expect((await rental.state()).audit).toMatchObject({ ok: true, held: { trx: '0.00' } });
    },
  );
});

const OTHER = chainAddressOf('other');
const TRANSFER = { from: ADDRESS, to: OTHER, currency: 'TRX', amount: '1.25' };
const send = (changes: object = {}) =>
  rental.control<CodedError>('POST', '/transfers', { ...TRANSFER, ...changes });

describe('POST /transfers', () => {
  beforeEach(() => rental.control('POST', '/transfers', { to: ADDRESS, currency: 'TRX', amount: '5' }));

  it('moves money from one address to another', async () => {
    expect(await send({})).toEqual({
      status: 200,
      json: {
        ...TRANSFER,
        kind: 'transfer',
        tx_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        at: '2025-06-01T12:00:00.000Z',
      },
    });
    expect(await rental.wallet(ADDRESS)).toMatchObject({ trx: '3.75' });
    expect(await rental.wallet(OTHER)).toMatchObject({ trx: '1.25', active: true });
    expect((await rental.state()).audit).toMatchObject({ ok: true, faults: [] });
  });

  it('come from an external address by default', async () => {
    expect(await send({ from: undefined, amount: '1000000' })).toMatchObject({ json: { from: FAUCET } });
    expect(await rental.wallet(OTHER)).toMatchObject({ trx: '1000000.00' });
  });

  it.each([
    [{ amount: '5.000001' }, 400, 'INSUFFICIENT_FUNDS'],
    [{ to: ADDRESS }, 400, 'INVALID_TRANSFER'],
    [{ to: 'TKVSaJQDWeKFSEXmA44pjxduGTxy999999' }, 400, 'INVALID_ADDRESS'],
    [{ from: 'TKVSaJQDWeKFSEXmA44pjxduGTxy999999' }, 400, 'INVALID_ADDRESS'],
    [{ from: undefined, currency: 'USDT' }, 409, 'ADDRESS_NOT_ACTIVE'],
    [{ from: SERVICE }, 409, 'ADDRESS_OF_SERVICE'],
    [{ to: SERVICE }, 409, 'ADDRESS_OF_SERVICE'],
    [{ from: chainAddressOf('demo deposit') }, 409, 'ADDRESS_OF_SERVICE'],
  ])('rejects %o with %i %s and moves nothing', async (changes, status, code) => {
    const answer = await send(changes);
    expect([answer.status, answer.json.detail.error.code]).toEqual([status, code]);
    expect(await rental.wallet(ADDRESS)).toMatchObject({ trx: '5.00' });
    expect((await rental.state()).audit).toMatchObject({ ok: true, faults: [] });
  });

  it.each([
    ['amount', '0'],
    ['amount', '-1'],
    ['amount', '0.0000001'],
    ['amount', 1],
    ['currency', 'EUR'],
    ['to', undefined],
  ])('rejects %s %j', async (field, value) => {
    const { status, json } = await send({ [field]: value });
    expect([status, json]).toEqual([
      422,
      { detail: expect.stringMatching(new RegExp(`^${field}: expected `)) },
    ]);
  });
});

describe('an amount in sun', () => {
  it.each([
    ['0', 0n],
    ['2.32', 2_320_000n],
    ['0.000001', 1n],
    ['123456789012345.6', 123_456_789_012_345_600_000n],
  ])('is parsed from %s TRX', (text, sun) => expect(sunFromTrx(text)).toBe(sun));

  it.each(['', '.5', '1.', '1,5', '-1', '1e3', '0.0000001', ' 1', '1\n'])('is not parsed from %j', (text) =>
    expect(sunFromTrx(text)).toBeUndefined(),
  );

  it.each([
    [0n, '0.00'],
    [9_800_000n, '9.80'],
    [2_319_200n, '2.3192'],
    [100_000_000n, '100.00'],
    [1n, '0.000001'],
    [-2_320_000n, '-2.32'],
  ])('%s is formatted as %s TRX', (sun, text) => expect(trxFromSun(sun)).toBe(text));

  it.each([
    [2_319_200n, 1n, 2_320_000n],
    [2_315_000n, 1n, 2_320_000n],
    [2_314_999n, 1n, 2_310_000n],
    [231_499_999n, 100n, 2_310_000n],
    [231_500_000n, 100n, 2_320_000n],
  ])('%s/%s is rounded to %s', (numerator, denominator, sun) =>
    expect(roundToCents(numerator, denominator)).toBe(sun),
  );
});

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
  const fromNowhere = ({ wallets }: State) => {
    walletOf(wallets, FAUCET).USDT += 1n;
  };
  const toService = ({ wallets }: State, amount = 1n) =>
    move(wallets, { from: FAUCET, to: SERVICE, ...TRX, amount });
  const held = (state: State) => {
    state.held.TRX += 1n;
    state.income.TRX += 1n;
    toService(state, 2n);
  };
  const credited = (state: State) => {
    for (const account of state.accounts.slice(0, 1)) account.balance += 1n;
    state.income.TRX -= 1n;
  };
  const OTHER_BALANCE = 'balance of account 1001: 1000.000001, not 1000.00';
  it.each<[string, (state: State) => unknown, string[]]>([
    ['money from nowhere', fromNowhere, ['USDT in all wallets: 0.000001, not 0.00']],
    ['money without an owner', toService, ["TRX in the service's wallet: 2150.000001, not 2150.00"]],
    ['held money without a reason', held, ['TRX held: 0.000001, not 0.00']],
    ['an unheld price', ({ orders }) => orders.push(order), ['TRX held: 0.00, not 0.000001']],
    ['a balance that differs from the ledger', credited, ['TRX of income: -0.000001', OTHER_BALANCE]],
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
