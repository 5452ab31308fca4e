import { expect } from 'vitest';
import { journey as it, journeysWith } from '../support/journey.ts';
import { operationOf, type ShownMessage, tapUpdate } from '../support/person.ts';
import { buyEnergy, dataOf, linkAccount, toCard } from '../support/steps.ts';
import { GUEST, HOLDER, type World } from '../support/world.ts';

const BUY = 'POST /energy/buy';
const TAPS = 20;

it('a new user links an account and buys energy once, at the shown price', async (person, world) => {
  await linkAccount(person);
  const card = await toCard(person);
  expect(card.text).toContain('Energy for (the sender): TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t');
  expect(card.text).toContain('about 2.32 TRX');

  await person.confirm(card, 'Bought');
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

const repeated = <T>(make: () => T): T[] => Array.from({ length: TAPS }, make);

/** Asserts exactly one purchase. Then makes another one, in whose count a late duplicate would show. */
async function expectOnePurchase(world: World): Promise<void> {
  await world.settled();
  expect(world.countRequests(BUY)).toBe(1);
  const person = world.person(HOLDER);
  await buyEnergy(person, 'Bought');
  expect(world.countRequests(BUY)).toBe(2);
  const { ledger } = await world.rental();
  expect(ledger.filter(({ kind }) => kind === 'energy')).toHaveLength(2);
}

const confirmationOf = (card: ShownMessage) => {
  const { message_id, text } = card;
  return tapUpdate({ chat: HOLDER, message_id, text, data: dataOf(card, 'Confirm') });
};

journeysWith({ onRedis: true, replicas: 2 })(
  'buys once if two replicas get several taps and repeated deliveries',
  async (person, world) => {
    await linkAccount(person);
    const card = await toCard(person);
    const tap = () => confirmationOf(card);
    const same = tap();
    const updates = repeated(tap).flatMap((another) => [same, another]);
    await Promise.all(updates.map((update) => world.deliver(update)));
    await person.shows(card, 'Bought');
    await expectOnePurchase(world);
  },
);

it('confirms a card only for its owner, and only from its own message', async (person, world) => {
  const other = await linkAccount(world.person(GUEST), 'merchant-key');
  const theirs = await toCard(other);
  await linkAccount(person);
  const card = await toCard(person);
  await world.settled();
  const before = { mine: await person.messages(), theirs: await other.messages() };

  const [elsewhere] = before.mine.filter(({ from }) => from === 'bot');
  for (const label of ['Confirm', 'Back', 'Cancel']) {
    const data = dataOf(card, label);
    await other.tapData(theirs.message_id, data);
    await world.deliver(tapUpdate({ chat: HOLDER, from: GUEST, message_id: card.message_id, data }));
    await person.tapData(elsewhere?.message_id ?? 0, data);
  }
  await other.tapData(theirs.message_id, `operation:checked:${operationOf(card)}`);
  await world.settled();
  expect({ mine: await person.messages(), theirs: await other.messages() }).toEqual(before);
  const answers = await world.control<{ params: { text?: string } }[]>(
    'GET',
    '/telegram/calls?method=answerCallbackQuery',
  );
  // These toasts don't reveal why a tap was rejected.
  expect(new Set(answers.flatMap(({ params }) => params.text ?? []))).toEqual(
    new Set(['Already handled.', 'This button has expired. Open the menu again.']),
  );
  // Only a draft can be cancelled.
  await person.tapToShow('Cancel', card, 'Cancelled. Nothing was charged');
  expect(world.countRequests(BUY)).toBe(0);
});
