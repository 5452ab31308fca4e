import { afterEach, beforeEach, expect, test } from 'vitest';
import { linkAccount, toCard } from '../support/steps.ts';
import { createWorld, HOLDER, type World } from '../support/world.ts';

let world: World;

beforeEach(async () => {
  world = await createWorld();
});

afterEach(() => world.stop());

test('a new user links an account and buys energy once, at the shown price', async () => {
  const person = world.person(HOLDER);
  await linkAccount(person);
  const card = await toCard(person);
  expect(card.text).toContain('To: TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t');
  expect(card.text).toContain('about 2.32 TRX');

  await person.tap('Confirm');
  await person.shows(card, 'Bought');
  const result = await person.shows(card, 'Balance left');

  const { orders, accounts } = await world.rental();
  expect(orders).toHaveLength(1);
  expect(orders[0]).toMatchObject({ energy_amount: 65_000, duration_hours: 1, price_trx: '2.32' });
  expect(result.message_id).toBe(card.message_id);
  expect(result.text).toContain(`Order ${orders[0]?.order_id}`);
  expect(result.text).toContain('Charged: 2.32 TRX');
  expect(accounts[0]?.balance_trx).toBe('997.68');
  expect(result.text).toContain('Balance left: 997.68 TRX');
});
