import { expect, test } from 'vitest';
import { ACCOUNT, orderOf } from './rental-stand-in.ts';
import { openRoom } from './room.ts';

async function bought(price: string) {
  const room = openRoom();
  room.rental.buyEnergy.mockResolvedValue(orderOf({ price_trx: price }));
  await room.advance(await room.claimed());
  return room.operations.lastPrices;
}

test('what energy cost last gives an estimate in proportion, exactly', async () => {
  const prices = await bought('2.32');
  expect(Number(await prices.estimate(ACCOUNT, { amount: 130_000, hours: 1 }))).toBe(4.64);
  expect(Number(await prices.estimate(ACCOUNT, { amount: 131_000, hours: 1 }))).toBe(4.675692);
});

test('another duration and another account have their own', async () => {
  const prices = await bought('2.32');
  expect(await prices.estimate(ACCOUNT, { amount: 65_000, hours: 24 })).toBeUndefined();
  expect(await prices.estimate(ACCOUNT + 1, { amount: 65_000, hours: 1 })).toBeUndefined();
});

test('what was refused or unknown names no price', async () => {
  const room = openRoom();
  await room.lost();
  expect(await room.operations.lastPrices.estimate(ACCOUNT, { amount: 65_000, hours: 1 })).toBeUndefined();
});
