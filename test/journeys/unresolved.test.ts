import { expect, test } from 'vitest';
import { linkWithEvents, operationOf, toCard } from '../support/steps.ts';
import { ADMIN, HOLDER, inWorld } from '../support/world.ts';

const BUY = 'POST /energy/buy';
/** The figures count by UTC day, and the test advances the clock by an hour. */
const NOON = Date.UTC(2026, 5, 1, 12);

test.concurrent('an admin searches again for an unknown outcome and decides it; the user is notified', () =>
  inWorld({ startAt: NOON }, async (world) => {
    const [person, admin] = [world.person(HOLDER), world.person(ADMIN)];
    await linkWithEvents(person);
    await world.fault('GET /webhooks/logs', 'error-before', { times: 1_000 });
    await world.fault('GET /prices', 'error-before', { times: 100 });
    world.loseEvents();
    const card = await toCard(person);
    await world.fault(BUY, 'cut-after');
    await person.tap('Confirm');
    await person.shows(card, 'but the balance has changed');
    const [order] = (await world.rental()).orders;
    await world.control('POST', `/rental/orders/${order?.order_id}/fill`);
    // Longer than the maximum time without a heartbeat.
    await world.advance(60);
    await person.shows(card, "The outcome isn't known yet");

    await admin.say('/start');
    await admin.tap('🛠 Admin');
    await admin.tap('⚠️ Unresolved');
    const screen = await admin.reads('Oldest first');
    expect(screen.text).toContain('1. ⚠️ Outcome not known');
    await admin.tapData(screen.message_id, `unresolved:one:${HOLDER}_${operationOf(card)}`);
    const opened = await admin.shows(screen, 'What is known');
    expect(opened.text).toMatch(/Balance before: 1000\.00 TRX; at the last look: 99\d\.\d\d TRX/);
    const looked = world.asked('GET /webhooks/logs');
    await admin.tap('Ask the service again');
    await world.settled();
    expect(world.asked('GET /webhooks/logs')).toBeGreaterThan(looked);
    await admin.shows(screen, '⚠️ Outcome not known');

    await admin.tap('✅ It went through');
    await admin.reads('Why do you say so?');
    await admin.say('seen on the <chain>');
    const check = await admin.reads('Check before you decide: ✅ it went through');
    expect(check.text).toContain(operationOf(card));
    await person.shows(card, "The outcome isn't known yet");
    await admin.tap('Decide');
    await admin.shows(check, '☑️ Decided.');

    const bought = await person.shows(card, '✅ Bought');
    expect(bought.text).toContain(
      'A person at the operator of this bot looked into it and decided: it went through.',
    );
    expect(bought.text).toContain('Their reason: seen on the <chain>');
    expect(bought.text).not.toContain("Don't repeat");
    const news = await person.readsBelow(card, 'A person at the operator');
    expect(news.reply_to).toBe(card.message_id);
    await world.advance(3_600);
    await person.shows(card, 'decided: it went through');
    expect(world.asked(BUY)).toBe(1);

    await admin.say('/operations');
    const figures = await admin.reads('📊 Operations');
    expect(figures.text).toContain('✅ done: 1');
    expect(figures.text).toContain('Unresolved now: none');
  }));
