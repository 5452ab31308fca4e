import { describe, expect, test } from 'vitest';
import { journey as it, journeysWith } from '../support/journey.ts';
import type { Person, ShownMessage } from '../support/person.ts';
import { dataOf, fillOrder, linkAccount, linkWithEvents, operationOf, toCard } from '../support/steps.ts';
import { ADMIN, HOLDER, inWorld, type World } from '../support/world.ts';

const BUY = 'POST /energy/buy';
const UNKNOWN = 'Unresolved';

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
      const person = await linkAccount(world.person(HOLDER));
      const card = await confirmLosing(world, person, kind, more);
      expectFullWarning(await person.shows(card, 'Most likely bought'), card);
      expect(await world.countCallsWithText(UNKNOWN)).toBeGreaterThan(0);
      await person.reads('Most likely bought', card);
      expect(world.countRequests(BUY)).toBe(1);
      expect((await world.rental()).orders).toHaveLength(1);
    }),
);

test.concurrent.each(NOT_EXECUTED)(
  '%s: a purchase that was not executed stays unknown until the user has checked it',
  (kind, more) =>
    inWorld({}, async (world) => {
      const person = await linkAccount(world.person(HOLDER));
      const card = await confirmLosing(world, person, kind, more);
      const searched = await person.shows(card, "No sign of it so far, and your balance hasn't changed");
      expect(searched.text).toContain(UNKNOWN);
      expectFullWarning(searched, card);
      await world.advance(3_600);
      expectFullWarning(await person.shows(card, 'It may still go through.'), card);

      const closed = await person.tapToShow('Mark as checked', card, 'Closed by you');
      expect(closed.text).not.toContain("Don't repeat");
      expect(world.countRequests(BUY)).toBe(1);
      expect((await world.rental()).orders).toEqual([]);
    }),
);

/** Loses the response of an executed purchase. Without a known price, the balance proves nothing. */
async function loseAnswerWithoutEstimate(world: World, person: Person): Promise<ShownMessage> {
  await world.fault('GET /prices', 'error-before', { times: 100 });
  const card = await confirmLosing(world, person, 'cut-after');
  await person.shows(card, 'but your balance has changed');
  return card;
}

it('settles an unknown outcome by the event of its order, with a reply', async (person, world) => {
  await linkWithEvents(person);
  await world.fault('GET /webhooks/logs', 'error-before', { times: 1_000 });
  const card = await loseAnswerWithoutEstimate(world, person);
  const order = await fillOrder(world);
  const bought = await person.shows(card, '✅ Bought');
  expect(bought.text).toContain(`Order ${order}`);
  expect(bought.text).toContain('Status: delivered');
  expect(bought.text).not.toContain("Don't repeat");
  await person.reads('✅ Bought and delivered', card);
  expect(world.countRequests(BUY)).toBe(1);
});

it('allows another purchase despite an unknown outcome, and sends neither twice', async (person, world) => {
  await linkAccount(person);
  const lost = await confirmLosing(world, person, 'cut-before');
  await person.shows(lost, UNKNOWN);
  const card = await toCard(person);
  expect(card.text).toContain(`Possible duplicate of unresolved operation ${operationOf(lost)}`);
  await person.tap('Show earlier operation');
  expect((await person.reads('⬆️ Operation', card)).reply_to).toBe(lost.message_id);
  await person.tapToShow('Buy anyway', card, '✅ Bought');
  expect(world.countRequests(BUY)).toBe(2);
  expect((await world.rental()).orders).toHaveLength(1);

  await world.advance(3_600);
  expectFullWarning(await person.shows(lost, 'No sign of it so far'), lost);
  expect(await world.countCallsWithText('Most likely')).toBe(0);
  expect(world.countRequests(BUY)).toBe(2);
});

describe('unresolved operations', () => {
  /** The figures count by UTC day, and the test advances the clock by an hour. */
  const NOON = Date.UTC(2026, 5, 1, 12);

  const it = journeysWith({ startAt: NOON });

  it('an admin searches again for an unknown outcome and decides it; the user is notified', async (_person, world) => {
    const [person, admin] = [world.person(HOLDER), world.person(ADMIN)];
    await linkWithEvents(person);
    await world.fault('GET /webhooks/logs', 'error-before', { times: 1_000 });
    await world.fault('GET /prices', 'error-before', { times: 100 });
    world.loseEvents();
    const card = await toCard(person);
    await world.fault(BUY, 'cut-after');
    await person.confirm(card, 'but your balance has changed');
    await fillOrder(world);
    // Longer than the maximum time without a heartbeat.
    await world.advance(60);
    await person.shows(card, 'Unresolved');

    await admin.say('/start');
    await admin.tap('🛠 Admin');
    const screen = await admin.tapAndRead('⚠️ Unresolved', 'Oldest first');
    expect(screen.text).toContain('1. ⚠️ Unresolved');
    await admin.tapData(screen.message_id, `unresolved:one:${HOLDER}_${operationOf(card)}`);
    const opened = await admin.shows(screen, 'Evidence');
    expect(opened.text).toMatch(/Balance before: 1,000\.00 TRX, last seen: 99\d\.\d\d TRX/);
    const looked = world.countRequests('GET /webhooks/logs');
    await admin.tap('Check again');
    await world.settled();
    expect(world.countRequests('GET /webhooks/logs')).toBeGreaterThan(looked);
    await admin.shows(screen, '⚠️ Unresolved');

    await admin.tapAndRead('✅ Went through', 'Why?');
    const check = await admin.sayAndRead('seen on the <chain>', 'Review your decision: ✅ Went through');
    expect(check.text).toContain(operationOf(card));
    await person.shows(card, 'Unresolved');
    await admin.tapToShow('Decide', check, '☑️ Decided.');

    const bought = await person.shows(card, '✅ Bought');
    expect(bought.text).toContain('👤 Confirmed by the operator:');
    expect(bought.text).toContain('seen on the <chain>');
    expect(bought.text).not.toContain("Don't repeat");
    const reply = await person.reads('👤 Confirmed by the operator', card);
    expect(reply.reply_to).toBe(card.message_id);
    await world.advance(3_600);
    await person.shows(card, 'Confirmed by the operator');
    expect(world.countRequests(BUY)).toBe(1);

    const figures = await admin.sayAndRead('/operations', '📊 Operations');
    expect(figures.text).toContain('✅ done: 1');
    expect(figures.text).toContain('Unresolved now: 0');
  });
});
