import { expect, test } from 'vitest';
import { ACTIVATION, BANDWIDTH, ENERGY, setUpOperations } from './operations-setup.ts';
import { ACCOUNT, orderOf } from './rental-stand-in.ts';

async function bought(price: string) {
  const setup = setUpOperations();
  setup.rental.buyEnergy.mockResolvedValue(orderOf({ price_trx: price }));
  await setup.advance(await setup.claimed());
  return setup.operations.lastPrices;
}

test('estimates energy exactly in proportion to the last price', async () => {
  const prices = await bought('2.32');
  expect(Number(await prices.estimate(ACCOUNT, 'energy', { amount: 130_000, hours: 1 }))).toBe(4.64);
  expect(Number(await prices.estimate(ACCOUNT, 'energy', { amount: 131_000, hours: 1 }))).toBe(4.675692);
});

test('keeps separate prices per duration and account', async () => {
  const prices = await bought('2.32');
  expect(await prices.estimate(ACCOUNT, 'energy', { amount: 65_000, hours: 24 })).toBeUndefined();
  expect(await prices.estimate(ACCOUNT + 1, 'energy', { amount: 65_000, hours: 1 })).toBeUndefined();
});

test('stores no price of an operation with an unknown outcome', async () => {
  const setup = setUpOperations();
  await setup.lost();
  expect(
    await setup.operations.lastPrices.estimate(ACCOUNT, 'energy', { amount: 65_000, hours: 1 }),
  ).toBeUndefined();
});

test('keeps separate prices per kind, and none for kinds priced by a formula', async () => {
  const setup = setUpOperations();
  await setup.advance(await setup.claimed({ request: BANDWIDTH }));
  await setup.advance(await setup.claimed({ request: ACTIVATION }));
  const wanted = { amount: 1_000, hours: 24 };
  for (const kind of ['energy', 'bandwidth', 'activation']) {
    expect(await setup.operations.lastPrices.estimate(ACCOUNT, kind, wanted)).toBeUndefined();
  }
  setup.rental.buyEnergy.mockResolvedValue(orderOf({ duration_hours: 24, price_trx: '5.00' }));
  await setup.advance(await setup.claimed({ request: { ...ENERGY, duration_hours: 24 } }));
  const { estimate } = setup.operations.lastPrices;
  expect(Number(await estimate(ACCOUNT, 'energy', { amount: 65_000, hours: 24 }))).toBe(5);
  expect(await estimate(ACCOUNT, 'bandwidth', { amount: 65_000, hours: 24 })).toBeUndefined();
});

test('uses the price of the last order', async () => {
  const setup = setUpOperations();
  for (const price of ['2.32', '4.00']) {
    setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ price_trx: price }));
    await setup.advance(await setup.claimed());
  }
  const wanted = { amount: 65_000, hours: 1 };
  expect(Number(await setup.operations.lastPrices.estimate(ACCOUNT, 'energy', wanted))).toBe(4);
});
