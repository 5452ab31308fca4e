import { describe, expect, it } from 'vitest';
import { chainAddressOf } from '../../../../src/sandbox/rental/chain-address.ts';
import { FAUCET, SERVICE } from '../../../../src/sandbox/rental/wallets.ts';
import { ADDRESS, type CodedError, serveRental } from '../rental-server.ts';

const OTHER = chainAddressOf('other');
const TRANSFER = { from: ADDRESS, to: OTHER, currency: 'TRX', amount: '1.25' };

/** Serves a rental service with an address that holds 5 TRX. */
async function served() {
  const rental = await serveRental();
  await rental.control('POST', '/transfers', { to: ADDRESS, currency: 'TRX', amount: '5' });
  return {
    ...rental,
    send: (changes: object) => rental.control<CodedError>('POST', '/transfers', { ...TRANSFER, ...changes }),
    has: async (address: string) => (await rental.control('GET', `/chain/addresses/${address}`)).json,
  };
}

describe('POST /transfers', () => {
  it('moves money from one address to another', async () => {
    const { send, has, state } = await served();
    expect(await send({})).toEqual({
      status: 200,
      json: {
        ...TRANSFER,
        kind: 'transfer',
        tx_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        at: '2025-06-01T12:00:00.000Z',
      },
    });
    expect(await has(ADDRESS)).toMatchObject({ trx: '3.75' });
    expect(await has(OTHER)).toMatchObject({ trx: '1.25', active: true });
    expect((await state()).audit).toMatchObject({ ok: true, faults: [] });
  });

  it('come from an external address by default', async () => {
    const { send, has } = await served();
    expect(await send({ from: undefined, amount: '1000000' })).toMatchObject({ json: { from: FAUCET } });
    expect(await has(OTHER)).toMatchObject({ trx: '1000000.00' });
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
    const { send, has, state } = await served();
    const answer = await send(changes);
    expect([answer.status, answer.json.detail.error.code]).toEqual([status, code]);
    expect(await has(ADDRESS)).toMatchObject({ trx: '5.00' });
    expect((await state()).audit).toMatchObject({ ok: true, faults: [] });
  });

  it.each([
    ['amount', '0'],
    ['amount', '-1'],
    ['amount', '0.0000001'],
    ['amount', 1],
    ['currency', 'EUR'],
    ['to', undefined],
  ])('rejects %s %j', async (field, value) => {
    const { send } = await served();
    const { status, json } = await send({ [field]: value });
    expect([status, json]).toEqual([
      422,
      { detail: expect.stringMatching(new RegExp(`^${field}: expected `)) },
    ]);
  });
});
