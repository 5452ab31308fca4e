import { expect, test } from 'vitest';
import { journey as it } from '../support/journey.ts';
import { findButton, type Person, type ShownMessage } from '../support/person.ts';
import { redisUrl } from '../support/redis.ts';
import { buyEnergy, linkAccount } from '../support/steps.ts';
import { ADDRESS, GUEST, HOLDER, inWorld, type World } from '../support/world.ts';

const MINUTE_S = 60;
const REMINDER = /65,000 energy expires at \d\d:\d\d/;
const SET = 'Remind me before it ends';

async function countOf(person: Person, part = ' expires at '): Promise<number> {
  return (await person.messages()).filter(({ text }) => text?.includes(part)).length;
}

async function toastOf(world: World): Promise<string | undefined> {
  await world.settled();
  const calls = await world.control<{ params: { text?: string } }[]>(
    'GET',
    '/telegram/calls?method=answerCallbackQuery',
  );
  return calls.at(-1)?.params.text;
}

/** Buys energy and turns reminders on from its receipt. Returns the receipt without that button. */
async function buyWithReminder(person: Person): Promise<ShownMessage> {
  const { message_id } = await buyEnergy(person, 'Balance left');
  await person.tap(SET);
  return person.until('a receipt without the button', (shown) =>
    shown.find((one) => one.message_id === message_id && findButton([one], SET) === undefined),
  );
}

/** Links another user, who buys energy with a reminder now. Their reminder shows that due ones were sent. */
async function witness(world: World): Promise<Person> {
  const other = await linkAccount(world.person(GUEST), 'merchant-key');
  await buyWithReminder(other);
  return other;
}

it('is off at first, and comes ten minutes before the end of an hour once it is on', async (person, world) => {
  await linkAccount(person);
  await buyEnergy(person, 'Balance left');
  const other = await linkAccount(world.person(GUEST), 'merchant-key');
  const receipt = await buyEnergy(other, 'Balance left');
  await other.tap(SET);
  expect(await toastOf(world)).toBe('Reminders are on. Change this in 🔔 Notifications.');
  await world.advance(45 * MINUTE_S);
  await world.settled();
  expect(await countOf(other)).toBe(0);
  await world.advance(6 * MINUTE_S);
  const reminder = await other.reads(REMINDER);
  expect(reminder.text).toContain(`Energy for (the sender): ${ADDRESS}`);
  expect(reminder.reply_to).toBe(receipt.message_id);
  await world.advance(12 * MINUTE_S);
  await world.settled();
  expect(await countOf(other)).toBe(1);
  expect(await countOf(person)).toBe(0);
});

it('rents again only after a new card is confirmed', async (person, world) => {
  await linkAccount(person);
  await buyWithReminder(person);
  await world.advance(51 * MINUTE_S);
  const reminder = await person.reads(REMINDER);
  const card = await person.tapAndRead('Rent again', 'Review and confirm', reminder);
  expect(card.text).toContain('65,000 energy');
  expect(card.text).toContain(`Energy for (the sender): ${ADDRESS}`);
  expect(world.countRequests('POST /energy/buy')).toBe(1);
  await person.confirm(card, 'Balance left');
  expect(world.countRequests('POST /energy/buy')).toBe(2);
});

it('is turned off below a reminder, and offered on the next receipt again', async (person, world) => {
  await linkAccount(person);
  await buyWithReminder(person);
  await world.advance(51 * MINUTE_S);
  const reminder = await person.reads(REMINDER);
  await person.tap('Turn off reminders');
  await person.until('a reminder without the button', (shown) =>
    shown.find(
      (one) =>
        one.message_id === reminder.message_id && !findButton([one], 'Turn off') && findButton([one], 'Rent'),
    ),
  );
  expect(await toastOf(world)).toBe('Reminders are off.');
  expect(findButton([await buyEnergy(person, 'Balance left')], SET)).toBeDefined();
});

const FAST = { appOptions: { pace: { reconcileMs: 300 } } };

/** Advances the clock during a restart. Otherwise the apps could see Redis advanced before their own clock. */
async function restartLater(world: World, seconds: number): Promise<void> {
  await world.stopApps();
  await world.advance(seconds);
  await world.startApps();
}

test.concurrent('is sent once by several replicas, and after a restart', async () =>
  inWorld({ ...FAST, redisUrl: await redisUrl(), replicas: 3 }, async (world) => {
    const person = await linkAccount(world.person(HOLDER));
    await buyWithReminder(person);
    await restartLater(world, 51 * MINUTE_S);
    await person.reads(REMINDER);
    const other = await witness(world);
    await restartLater(world, 51 * MINUTE_S);
    await other.reads(REMINDER);
    expect(await countOf(person)).toBe(1);
  }));
