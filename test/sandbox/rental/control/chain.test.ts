import { describe, expect, it } from 'vitest';
import { chainAddressOf } from '../../../../src/sandbox/rental/chain-address.ts';
import { FAUCET, SERVICE } from '../../../../src/sandbox/rental/wallets.ts';
import { ADDRESS, ORDER, serveRental } from '../rental-server.ts';

type Rental = Awaited<ReturnType<typeof serveRental>>;

const look = async (rental: Rental, address = ADDRESS) =>
  (await rental.control('GET', `/chain/addresses/${address}`)).json;

describe('an address of the chain', () => {
  it('is shown even if it was never used', async () => {
    expect(await look(await serveRental())).toEqual({
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
    const rental = await serveRental({ fillAfterMs: 0 });
    await rental.ask('POST', '/energy/buy', { body: ORDER });
    rental.clock.advance(0);
    const [transaction] = (await rental.state()).chain.transactions;
    expect(transaction).toMatchObject({ kind: 'delegation', to: ADDRESS, memo: '65000 energy for 1 h' });
    expect(await look(rental)).toMatchObject({
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
    expect(await look(rental)).toMatchObject({ energy: 0, delegations: [] });
  });

  it('returns 400 for an invalid address', async () => {
    const rental = await serveRental();
    expect((await rental.control('GET', '/chain/addresses/T1')).status).toBe(400);
  });
});

describe('the chain in the state', () => {
  it("names the service's addresses and those of the accounts", async () => {
    const { chain, accounts } = await (await serveRental()).state();
    const names = new Map(chain.addresses.map(({ address, name }) => [address, name]));
    expect(names.get(SERVICE)).toBe("the service's wallet");
    expect(names.get(FAUCET)).toBe('the rest of the world');
    expect(names.get(accounts[0]?.chain_address ?? '')).toBe('account 1001');
    expect(names.get(accounts[0]?.deposit_address ?? '')).toBe('deposits of account 1001');
  });

  it('shows the latest addresses and transactions, newest first, up to a limit', async () => {
    const rental = await serveRental();
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
  it('shows the balances of the service', async () => {
    const rental = await serveRental();
    const { ok, faults, balances } = (await rental.state()).audit;
    expect({ ok, faults, balances }).toEqual({
      ok: true,
      faults: [],
      balances: { trx: '2150.00', usdt: '0.00' },
    });
  });

  it.each(['0', '999.999999', '1000', '1000.000001', '5000'])(
    'passes when a balance is set to %s',
    async (balance_trx) => {
      const rental = await serveRental();
      await rental.control('POST', '/accounts/1001/balance', { balance_trx });
      expect((await rental.state()).audit).toMatchObject({ ok: true, held: { trx: '0.00' } });
    },
  );
});
