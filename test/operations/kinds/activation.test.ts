import { describe, expect, test } from 'vitest';
import { activation } from '../../../src/operations/kinds/activation.ts';
import type { Outcome } from '../../../src/rental-api/http.ts';
import type { AddressActivation } from '../../../src/rental-api/schemas.ts';
import { ACTIVATION, ENERGY, START, setUpOperations, USER } from '../operations-setup.ts';
import { ACCOUNT, accepted, HASH, logged, ORDER, profileOf, rejected } from '../rental-stand-in.ts';

const OTHER = { ...ACTIVATION, address: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4' };

async function activated(answer: Outcome<AddressActivation>) {
  const setup = setUpOperations();
  setup.rental.activateAddress.mockResolvedValueOnce(answer);
  const operation = await setup.claimed({ request: ACTIVATION, estimate: '1.10' });
  await setup.advance(operation);
  return { setup, operation: await setup.read(operation) };
}

describe('an activation', () => {
  test.each([HASH, HASH.toUpperCase()])(
    'is done for 1.1 TRX if the response has a transaction: %s',
    async (hash) => {
      const { setup, operation } = await activated(accepted({ success: true, tx_hash: hash }));
      expect(operation).toMatchObject({ state: 'done', result: { txHash: hash, price: '1.10' } });
      expect(operation.result?.order).toBeUndefined();
      expect(setup.rental.activateAddress.mock.calls[0]?.[1]).toEqual({ address: ACTIVATION.address });
    },
  );

  test.each<[string, AddressActivation]>([
    ['without a transaction', { success: true }],
    ['with a null transaction', { success: true, tx_hash: null }],
    ['with an empty transaction', { success: true, tx_hash: '' }],
    ['with one digit less', { success: true, tx_hash: HASH.slice(1) }],
    ['with one digit more', { success: true, tx_hash: `${HASH}0` }],
    ['with a non-hexadecimal digit', { success: true, tx_hash: `${HASH.slice(1)}g` }],
    ['with a prefix', { success: true, tx_hash: `0x${HASH}` }],
    ['without success', { success: false, tx_hash: HASH }],
    ['without anything', { success: false }],
  ])('%s is unknown and not sent again', async (_, answer) => {
    const { setup, operation } = await activated(accepted(answer));
    expect(operation).toMatchObject({ state: 'unknown' });
    await setup.pass(60_000);
    expect(setup.rental.activateAddress).toHaveBeenCalledOnce();
    expect(await setup.operations.completedOnce.has(ACTIVATION)).toBe(false);
  });

  test('has only the balance as evidence of an unknown outcome', async () => {
    const { setup, operation } = await activated({ kind: 'unknown', reason: 'cut', message: '' });
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    for (const namespace of ['energy', 'bandwidth']) {
      const report = { order: ORDER, namespace, status: 'filled', address: ACTIVATION.address } as const;
      await setup.operations.settlement.report(ACCOUNT, report);
    }
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'same' } });
    expect(setup.rental.webhookLogs).not.toHaveBeenCalled();
    setup.rental.profile.mockResolvedValue(profileOf('998.90'));
    await setup.pass(60_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'likely' });
  });

  test('warns of an unresolved one for the same address, but not for another', async () => {
    const { setup, operation } = await activated({ kind: 'unknown', reason: 'cut', message: '' });
    expect((await setup.draft({ request: ACTIVATION })).warnings).toEqual({ like: operation.id });
    expect((await setup.draft({ request: OTHER })).warnings).toEqual({});
    expect((await setup.draft({ request: ENERGY })).warnings).toEqual({});
  });
});

describe('an active address', () => {
  const ALREADY = rejected(409, 'ADDRESS_ALREADY_ACTIVE');

  test.each([
    ['was activated here', accepted({ success: true, tx_hash: HASH })],
    ['is reported as active by the service', ALREADY],
  ])('is refused before any request for every user if it %s', async (_, answer) => {
    const { setup } = await activated(answer);
    expect(await setup.operations.completedOnce.has(ACTIVATION)).toBe(true);
    setup.rental.profile.mockClear();
    for (const user of [USER, USER + 1]) {
      const again = await setup.claimed({ request: ACTIVATION, user });
      await setup.advance(again);
      expect(await setup.read(again)).toMatchObject({ state: 'refused', refusal: { reason: 'already' } });
    }
    expect(setup.rental.activateAddress).toHaveBeenCalledOnce();
    expect(setup.rental.profile).not.toHaveBeenCalled();
  });

  test('is refused if the service reports it as active, without affecting other addresses', async () => {
    const { setup, operation } = await activated(ALREADY);
    expect(operation).toMatchObject({
      state: 'refused',
      refusal: { reason: 'already', code: 'ADDRESS_ALREADY_ACTIVE' },
    });
    expect(await setup.operations.completedOnce.has(OTHER)).toBe(false);
    expect(await setup.operations.completedOnce.has(ENERGY)).toBe(false);
    const other = await setup.claimed({ request: OTHER });
    await setup.advance(other);
    expect(await setup.read(other)).toMatchObject({ state: 'done' });
  });

  test('is not inferred from any other rejection', async () => {
    const { setup } = await activated(rejected(422, 'INVALID_ADDRESS'));
    expect(await setup.operations.completedOnce.has(ACTIVATION)).toBe(false);
  });
});

test('an activation has no order numbers, no reports and no price in proportion', () => {
  expect(activation.namespace).toBeUndefined();
  expect(activation.report).toBeUndefined();
  expect(activation.matchesReport).toBeUndefined();
  expect(activation.priced).toBeUndefined();
});
