import { test } from 'vitest';
import { ADMIN, GUEST, inWorld } from '../support/world.ts';

test('an admin sends everybody a message: with its buttons, and the way to get no more of them', async () => {
  await inWorld({}, async (world) => {
    const [admin, guest] = [world.person(ADMIN), world.person(GUEST)];
    await guest.say('/start');
    await admin.say('/broadcast');
    await admin.tap('New broadcast');
    await admin.reads('Send me the message');
    await admin.say('Prices fall on Monday');
    await admin.reads('Which buttons');
    await admin.say('Prices - https://example.com/prices');
    await admin.reads('The message above is what people get');
    await admin.tap('Next');
    await admin.tap('A test to me alone');
    await admin.reads('The test is on its way');
    await admin.tap('Everybody');
    await admin.tap('Now');
    await admin.reads('Check before you send');
    await admin.tap('Send to');
    await admin.reads('It is being sent');
    await guest.reads('Prices fall on Monday');
    await guest.tap('No more news like this');
    await guest.reads('I send you no more news');
    await admin.reads('📣 Broadcast: done');
  });
});
