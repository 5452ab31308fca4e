import { expect } from 'vitest';
import { journey as it } from '../support/journey.ts';
import { operationOf, type Person, type ShownMessage } from '../support/person.ts';
import { dataOf, fillOrder, linkAccount, linkWithEvents, setPrice, toCard } from '../support/steps.ts';
import type { World } from '../support/world.ts';

const BUY = 'POST /energy/buy';
const UNKNOWN = 'Result unknown';

/** Confirms a purchase and loses its response. `price`: changed price in sun, after the card. Returns the card. */
async function confirmLosing(
  world: World,
  person: Person,
  kind: string,
  { price }: { price?: string } = {},
): Promise<ShownMessage> {
  const card = await toCard(person);
  if (price !== undefined) await setPrice(world, price);
  await world.fault(BUY, kind);
  await person.tapData(card.message_id, dataOf(card, 'Confirm') || dataOf(card, 'Buy anyway'));
  // The bot could process a later message before the tap, and a question cancels the card.
  await world.settled();
  return card;
}

function expectFullWarning(told: ShownMessage, card: ShownMessage): void {
  expect(told.message_id).toBe(card.message_id);
  expect(told.text).toContain("Don't repeat");
  expect(told.text).toContain(`Ref. ${operationOf(card)}`);
  expect(JSON.stringify(told.keyboard)).toContain('https://support.example');
}

it('an executed purchase is unknown, then most likely bought because of the balance', async (person, world) => {
  await linkAccount(person);
  const card = await confirmLosing(world, person, 'cut-after');
  expectFullWarning(await person.shows(card, 'Most likely bought'), card);
  expect(await world.countCallsWithText(UNKNOWN)).toBeGreaterThan(0);
  await person.reads('Most likely bought', card);
  expect(world.countRequests(BUY)).toBe(1);
  expect((await world.rental()).orders).toHaveLength(1);
});

it('a purchase that was not executed stays unknown until the user has checked it', async (person, world) => {
  await linkAccount(person);
  const card = await confirmLosing(world, person, 'cut-before');
  const searched = await person.shows(card, "Your balance hasn't changed.");
  expect(searched.text).toContain(UNKNOWN);
  expectFullWarning(searched, card);
  await world.advance(3_600);
  expectFullWarning(await person.shows(card, 'It may still go through.'), card);

  const closed = await person.tapToShow('Mark as checked', card, 'Marked as checked');
  expect(closed.text).not.toContain("Don't repeat");
  expect(world.countRequests(BUY)).toBe(1);
  expect((await world.rental()).orders).toEqual([]);
});

/** Loses the response of an executed purchase. At another price than the card's, the balance proves nothing. */
async function loseAnswerAtOtherPrice(world: World, person: Person): Promise<ShownMessage> {
  const card = await confirmLosing(world, person, 'cut-after', { price: '35' });
  await person.shows(card, 'Your balance has changed');
  return card;
}

it('settles an unknown outcome by the event of its order, with a reply', async (person, world) => {
  await linkWithEvents(person);
  await world.fault('GET /webhooks/logs', 'error-before', { times: 1_000 });
  const card = await loseAnswerAtOtherPrice(world, person);
  const order = await fillOrder(world);
  const bought = await person.shows(card, '✅ Bought');
  expect(bought.text).toContain(`Order ${order}`);
  expect(bought.text).toContain('Bought and delivered');
  expect(bought.text).not.toContain("Don't repeat");
  await person.reads('Energy delivered', card);
  expect(world.countRequests(BUY)).toBe(1);
});
