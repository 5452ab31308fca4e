import { describe, expect } from 'vitest';
import { createKinds } from '../../src/operations/kinds/kind.ts';
import { orderResult } from '../../src/operations/kinds/purchases.ts';
import { KINDS } from '../../src/operations/operations.ts';
import type { Outcome } from '../../src/rental-api/client.ts';
import type { AddressActivation } from '../../src/rental-api/schemas.ts';
import { ACTIVATION, BANDWIDTH, ENERGY, START, setUpOperations, test, USER } from './operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, HASH, logged, ORDER, profileOf, rejected } from './rental-stand-in.ts';

const kinds = createKinds(KINDS);
const event = (data: Record<string, unknown>, type = 'order.filled') => ({ type, id: `${type}:1`, data });

test.each(KINDS)('parses a stored $name request completely by its kind', ({ name, sample }) => {
  expect(kinds.request.parse(sample)).toEqual(sample);
  expect(kinds.of(sample).name).toBe(name);
  const target = kinds.of(sample).target(sample);
  expect(target, `${name}: its \`sample\` must be a request for SAMPLE_ADDRESS`).toBe(ADDRESS);
});

test('rejects a request of an unknown kind or with missing fields', () => {
  const { bandwidth_amount: _, ...lacking } = BANDWIDTH;
  for (const request of [{}, { kind: 'other' }, lacking, { ...ENERGY, kind: 'bandwidth' }, null]) {
    expect(kinds.request.safeParse(request).success).toBe(false);
  }
  expect(() => kinds.of({ kind: 'other' })).toThrow(RangeError);
  expect(() => createKinds([])).toThrow(RangeError);
});

test('requests are duplicates regardless of duration, but not of amount or address', () => {
  for (const request of [ENERGY, BANDWIDTH]) {
    const { duplicateKey } = kinds.of(request);
    expect(duplicateKey({ ...request, duration_hours: 72 } as typeof request)).toBe(duplicateKey(request));
    for (const other of [{ energy_amount: 1, bandwidth_amount: 1 }, { address: 'T' }]) {
      expect(duplicateKey({ ...request, ...other } as typeof request)).not.toBe(duplicateKey(request));
    }
  }
});

describe('the report of an order', () => {
  test('is classified by the amount that it contains', () => {
    const about = { order_id: ORDER, address: ADDRESS };
    expect(kinds.reports(event({ ...about, energy_amount: 65_000 }))).toEqual([
      {
        order: ORDER,
        namespace: 'energy',
        status: 'filled',
        at: undefined,
        address: ADDRESS,
        amount: 65_000,
      },
    ]);
    expect(kinds.reports(event({ ...about, bandwidth_amount: 350 }, 'order.failed'))).toMatchObject([
      {
        order: ORDER,
        namespace: 'bandwidth',
        status: 'failed',
        amount: 350,
      },
    ]);
  });

  test('is parsed if its numbers are strings', () => {
    const strings = { order_id: String(ORDER), energy_amount: '65000' };
    expect(kinds.reports(event(strings))).toMatchObject([{ order: ORDER, amount: 65_000 }]);
  });

  test.each([
    [{}, ['energy']],
    [{ energy_amount: null, bandwidth_amount: null }, ['energy']],
    [{ energy_amount: 'many' }, ['energy']],
    [{ bandwidth_amount: 'many' }, ['bandwidth']],
  ])('is one of every kind that it may be about if its amount is unreadable: %j', (amount, namespaces) => {
    const reports = kinds.reports(event({ order_id: ORDER, ...amount }));
    expect(reports).toMatchObject(namespaces.map((namespace) => ({ order: ORDER, namespace })));
    for (const report of reports) expect(report.amount).toBeUndefined();
  });

  test.each([
    ['no number', { energy_amount: 65_000 }],
    ['a number in words', { order_id: 'seven', energy_amount: 65_000 }],
    ['half a number', { order_id: 7.5, energy_amount: 65_000 }],
    ['no safe number', { order_id: 2 ** 53, energy_amount: 65_000 }],
  ])('is not parsed from an event with %s', (_, data) => {
    expect(kinds.reports(event(data))).toEqual([]);
  });

  test.each(['deposit.confirmed', 'order.pending', 'order', ''])(
    'is not parsed from an event of type %j',
    (type) => {
      expect(kinds.reports(event({ order_id: ORDER, energy_amount: 65_000 }, type))).toEqual([]);
    },
  );
});

describe('bandwidth', () => {
  test('is bought as the card showed, with a separate order number', async ({ setup }) => {
    const operation = await setup.executed({ request: BANDWIDTH, estimate: '9.80' });
    const { kind: _, ...purchase } = BANDWIDTH;
    expect(setup.rental.buyBandwidth.mock.calls.map(([, asked]) => asked)).toEqual([purchase]);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await setup.read(operation)).toMatchObject({
      state: 'done',
      result: { order: ORDER, status: 'pending', price: '9.80' },
    });
    expect(await setup.storage.get(`order:${operation.account}:bandwidth:${ORDER}`)).toBeDefined();
    expect(await setup.storage.get(`order:${operation.account}:energy:${ORDER}`)).toBeUndefined();
  });
});

const answer = (price_trx?: string) =>
  orderResult({ kind: 'accepted', value: { order_id: 7, status: 'pending', price_trx } });

test.each([
  ['2.3192', '2.3192'],
  [undefined, undefined],
])('an order whose response has the price %s results in the price %s', (told, price) => {
  expect(answer(told)).toEqual({ kind: 'accepted', value: { order: 7, status: 'pending', price } });
});

const OTHER = { ...ACTIVATION, address: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4' };

async function activated(answer: Outcome<AddressActivation>) {
  const setup = setUpOperations();
  setup.rental.activateAddress.mockResolvedValueOnce(answer);
  const operation = await setup.executed({ request: ACTIVATION, estimate: '1.10' });
  return { setup, operation: await setup.read(operation) };
}

describe('an activation', () => {
  test.each([HASH, HASH.toUpperCase()])(
    'is done for 1.1 TRX if the response has a transaction: %s',
    async (hash) => {
      const { setup, operation } = await activated(accepted({ success: true, tx_hash: hash }));
      expect(operation).toMatchObject({ state: 'done', result: { txHash: hash, price: '1.10' } });
      expect(operation).not.toHaveProperty('result.order');
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
      expect(await setup.outcome({ request: ACTIVATION, user })).toMatchObject({
        state: 'refused',
        refusal: { reason: 'already' },
      });
    }
    expect(setup.rental.activateAddress).toHaveBeenCalledOnce();
    expect(setup.rental.profile).not.toHaveBeenCalled();
  });

  test('does not affect other addresses', async () => {
    const { setup, operation } = await activated(ALREADY);
    expect(operation).toMatchObject({ refusal: { reason: 'already', code: 'ADDRESS_ALREADY_ACTIVE' } });
    expect(await setup.operations.completedOnce.has(OTHER)).toBe(false);
    expect(await setup.operations.completedOnce.has(ENERGY)).toBe(false);
    expect(await setup.outcome({ request: OTHER })).toMatchObject({ state: 'done' });
  });

  test('is not inferred from any other rejection', async () => {
    const { setup } = await activated(rejected(422, 'INVALID_ADDRESS'));
    expect(await setup.operations.completedOnce.has(ACTIVATION)).toBe(false);
  });
});
