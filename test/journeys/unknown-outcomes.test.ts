import { expect, test } from 'vitest';
import type { Person, ShownMessage } from '../support/person.ts';
import { dataOf, linkAccount, linkWithEvents, operationOf, toCard } from '../support/steps.ts';
import { HOLDER, inWorld, type World } from '../support/world.ts';

const BUY = 'POST /energy/buy';
const UNKNOWN = "The outcome isn't known yet";

/** Faults that lose the response of an executed request, and of one that was not executed. */
const EXECUTED: [string, object?][] = [['cut-after'], ['error-after', { status: 502 }], ['garbage']];
const NOT_EXECUTED: [string, object?][] = [
  ['cut-before'],
  ['error-before', { status: 500 }],
  ['garbage-before'],
];

/** Confirms a purchase and loses its response. Returns the card. */
async function confirmLosing(
  world: World,
  person: Person,
  kind: string,
  more?: object,
): Promise<ShownMessage> {
  const card = await toCard(person);
  await world.fault(BUY, kind, more);
  await person.tapData(card.message_id, dataOf(card, 'Confirm') || dataOf(card, 'Buy anyway'));
  // The bot could process a later message before the tap, and a question cancels the card.
  await world.settled();
  return card;
}

function expectFullWarning(told: ShownMessage, card: ShownMessage): void {
  expect(told.message_id).toBe(card.message_id);
  expect(told.text).toContain("Don't repeat");
  expect(told.text).toContain(`Operation ${operationOf(card)}`);
  expect(told.text).toContain('https://support.example');
}

test.concurrent.each(EXECUTED)(
  '%s: an executed purchase is unknown, then most likely bought because of the balance',
  (kind, more) =>
    inWorld({}, async (world) => {
      const person = world.person(HOLDER);
      await linkAccount(person);
      const card = await confirmLosing(world, person, kind, more);
      expectFullWarning(await person.shows(card, 'Most likely bought'), card);
      expect(await world.told(UNKNOWN)).toBeGreaterThan(0);
      await person.readsBelow(card, 'Most likely bought');
      expect(world.asked(BUY)).toBe(1);
      expect((await world.rental()).orders).toHaveLength(1);
    }),
);

test.concurrent.each(NOT_EXECUTED)(
  '%s: a purchase that was not executed stays unknown until the user has checked it',
  (kind, more) =>
    inWorld({}, async (world) => {
      const person = world.person(HOLDER);
      await linkAccount(person);
      const card = await confirmLosing(world, person, kind, more);
      const searched = await person.shows(card, "so far: no trace yet, and the balance hasn't");
      expect(searched.text).toContain(UNKNOWN);
      expectFullWarning(searched, card);
      await world.advance(3_600);
      expectFullWarning(await person.shows(card, 'No sign of it so far. It may still arrive.'), card);

      await person.tap('I have checked');
      const closed = await person.shows(card, 'Closed by you');
      expect(closed.text).not.toContain("Don't repeat");
      expect(world.asked(BUY)).toBe(1);
      expect((await world.rental()).orders).toEqual([]);
    }),
);

/** Loses the response of an executed purchase. Without a known price, the balance proves nothing. */
async function loseAnswerWithoutEstimate(world: World, person: Person): Promise<ShownMessage> {
  await world.fault('GET /prices', 'error-before', { times: 100 });
  const card = await confirmLosing(world, person, 'cut-after');
  await person.shows(card, 'but the balance has changed');
  return card;
}

async function fill(world: World): Promise<number> {
  const [order] = (await world.rental()).orders;
  await world.control('POST', `/rental/orders/${order?.order_id}/fill`);
  return order?.order_id ?? 0;
}

test.concurrent('settles an unknown outcome by the event of its order, with a reply', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    await world.fault('GET /webhooks/logs', 'error-before', { times: 1_000 });
    const card = await loseAnswerWithoutEstimate(world, person);
    const order = await fill(world);
    const bought = await person.shows(card, '✅ Bought');
    expect(bought.text).toContain(`Order ${order}`);
    expect(bought.text).toContain('Status: filled');
    expect(bought.text).not.toContain("Don't repeat");
    await person.readsBelow(card, '✅ Bought and delivered');
    expect(world.asked(BUY)).toBe(1);
  }));

test.concurrent('settles an unknown outcome by the webhook log if the event was lost', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    const card = await loseAnswerWithoutEstimate(world, person);
    world.loseEvents();
    const order = await fill(world);
    await world.advance(3_600);
    expect((await person.shows(card, '✅ Bought')).text).toContain(`Order ${order}`);
    expect(world.asked(BUY)).toBe(1);
  }));

test.concurrent('shows a likely purchase as bought once the event of its order arrives', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    const card = await confirmLosing(world, person, 'cut-after');
    await person.shows(card, 'Most likely bought');
    await fill(world);
    await person.shows(card, '✅ Bought');
  }));

test.concurrent('settles only one of two equal unknown purchases by one order', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    await world.fault('GET /prices', 'error-before', { times: 100 });
    const cards = [
      await confirmLosing(world, person, 'cut-after'),
      await confirmLosing(world, person, 'cut-before'),
    ];
    for (const card of cards) await person.shows(card, 'so far: no trace yet');
    await fill(world);
    await person.readsBelow(cards[1] ?? { message_id: 0 }, '✅ Bought');
    await world.advance(3_600);
    await person.reads('No sign of it so far');
    const shown = (await person.messages()).filter(({ message_id }) =>
      cards.some((card) => card.message_id === message_id),
    );
    expect(shown.filter(({ text }) => text?.includes('✅ Bought'))).toHaveLength(1);
    expect(shown.filter(({ text }) => text?.includes(UNKNOWN))).toHaveLength(1);
    expect(world.asked(BUY)).toBe(2);
  }));

test.concurrent('allows another purchase despite an unknown outcome, and sends neither twice', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    const lost = await confirmLosing(world, person, 'cut-before');
    await person.shows(lost, UNKNOWN);
    const card = await toCard(person);
    expect(card.text).toContain(`Possible duplicate of operation ${operationOf(lost)}`);
    await person.tap('Show it');
    expect((await person.readsBelow(card, 'This is operation')).reply_to).toBe(lost.message_id);
    await person.tap('Buy anyway');
    await person.shows(card, '✅ Bought');
    expect(world.asked(BUY)).toBe(2);
    expect((await world.rental()).orders).toHaveLength(1);

    await world.advance(3_600);
    expectFullWarning(await person.shows(lost, 'No sign of it so far'), lost);
    expect(await world.told('Most likely')).toBe(0);
    expect(world.asked(BUY)).toBe(2);
  }));
