import { describe, expect, test } from 'vitest';
import { createKinds, KINDS } from '../../../src/operations/kinds/kinds.ts';
import { ACTIVATION, BANDWIDTH, ENERGY, setUpOperations } from '../operations-setup.ts';
import { ADDRESS, ORDER } from '../rental-stand-in.ts';

const kinds = createKinds(KINDS);
const event = (data: Record<string, unknown>, type = 'order.filled') => ({ type, id: `${type}:1`, data });

test('parses a stored request completely by its kind', () => {
  for (const request of [ENERGY, BANDWIDTH, ACTIVATION]) {
    expect(kinds.request.parse(request)).toEqual(request);
    expect(kinds.of(request).name).toBe(request.kind);
    expect(kinds.of(request).target(request)).toBe(ADDRESS);
  }
});

test('rejects a request of an unknown kind or with missing fields', () => {
  const { bandwidth_amount: _, ...lacking } = BANDWIDTH;
  for (const request of [{}, { kind: 'other' }, lacking, { ...ENERGY, kind: 'bandwidth' }, null]) {
    expect(kinds.request.safeParse(request).success).toBe(false);
  }
  expect(() => kinds.of({ kind: 'other' })).toThrow(RangeError);
  expect(() => createKinds([])).toThrow(RangeError);
});

test('energy and bandwidth have separate order numbers, activations have none', () => {
  expect([ENERGY, BANDWIDTH, { kind: 'activation' }].map((request) => kinds.of(request).namespace)).toEqual([
    'energy',
    'bandwidth',
    undefined,
  ]);
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
    expect(kinds.report(event({ ...about, energy_amount: 65_000 }))).toEqual({
      order: ORDER,
      namespace: 'energy',
      status: 'filled',
      at: undefined,
      address: ADDRESS,
      amount: 65_000,
    });
    expect(kinds.report(event({ ...about, bandwidth_amount: 350 }, 'order.failed'))).toMatchObject({
      order: ORDER,
      namespace: 'bandwidth',
      status: 'failed',
      amount: 350,
    });
  });

  test('is parsed if its numbers are strings', () => {
    const strings = { order_id: String(ORDER), energy_amount: '65000' };
    expect(kinds.report(event(strings))).toMatchObject({ order: ORDER, amount: 65_000 });
  });

  test.each([{}, { energy_amount: 'many' }, { bandwidth_amount: null }])(
    'returns nothing for an event without an order: %j',
    (amount) => {
      const report = kinds.report(event({ order_id: ORDER, ...amount }, 'order.failed'));
      expect(report).toBeUndefined();
    },
  );

  test.each([
    ['no number', { energy_amount: 65_000 }],
    ['a number in words', { order_id: 'seven', energy_amount: 65_000 }],
    ['half a number', { order_id: 7.5, energy_amount: 65_000 }],
    ['no safe number', { order_id: 2 ** 53, energy_amount: 65_000 }],
  ])('is not parsed from an event with %s', (_, data) => {
    expect(kinds.report(event(data))).toBeUndefined();
  });

  test.each(['deposit.confirmed', 'order.pending', 'order', ''])(
    'is not parsed from an event of type %j',
    (type) => {
      expect(kinds.report(event({ order_id: ORDER, energy_amount: 65_000 }, type))).toBeUndefined();
    },
  );
});

describe('bandwidth', () => {
  test('is bought as the card showed, with a separate order number', async () => {
    const setup = setUpOperations();
    const operation = await setup.claimed({ request: BANDWIDTH, estimate: '9.80' });
    await setup.advance(operation);
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

  test('is not bought again after a lost response', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost({ request: BANDWIDTH });
    await setup.pass(60_000);
    expect(setup.rental.buyBandwidth).toHaveBeenCalledOnce();
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  });
});
