import { expect, test } from 'vitest';
import { linkAccount, toCard } from '../support/steps.ts';
import { ADDRESS, HOLDER, inWorld } from '../support/world.ts';

/** Notations of an address in which the bot finds it. */
const WRITTEN = [
  ` ${ADDRESS}\n`,
  `please send it to ${ADDRESS}, thanks!`,
  `https://explorer.example/#/address/${ADDRESS}?lang=en`,
  `tron:${ADDRESS}?amount=5`,
  `_${ADDRESS}_`,
  `${ADDRESS.slice(0, 10)}\u200b${ADDRESS.slice(10)}`,
  `https://x.example/?to=%54${ADDRESS.slice(1)}`,
  ADDRESS.replace(/(.{4})/g, '$1 '),
];

test.concurrent('finds an address in any notation, and shows it unbroken in the next question', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    for (const words of WRITTEN) {
      const { message_id = 0 } = await person.say('/buy');
      await person.readsBelow({ message_id }, 'Which address');
      await person.say(words);
      const next = await person.readsBelow({ message_id }, 'What is it for');
      expect(next.text).toContain(`To: ${ADDRESS}`);
      expect(next.html).toContain(`<code>${ADDRESS}</code>`);
    }
  }));

test.concurrent('accepts neither of two different addresses in one message', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await person.say('/buy');
    await person.reads('Which address');
    await person.say(`${ADDRESS} or TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4`);
    await person.reads('I see more than one address');
  }));

test.concurrent('says that a flow ended when a command or a menu button ends it', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    const menu = await person.reads('What would you like to do');
    await person.say('/buy');
    const question = await person.reads('Which address');
    await person.say('/settings');
    const settings = await person.readsBelow(question, 'I stopped what you had begun. Nothing was done.');
    expect(settings.text).toContain('Language');
    await world.settled();
    expect(
      (await person.messages()).find((m) => m.message_id === question.message_id)?.keyboard ?? [],
    ).toEqual([]);
    await person.say('/buy');
    await person.readsBelow(settings, 'Which address');
    await person.tapData(menu.message_id, 'menu:more');
    await person.shows(menu, 'I stopped what you had begun. Nothing was done.');
  }));

test.concurrent('keeps the text of answered questions but removes their buttons', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await toCard(person);
    await world.settled();
    const shown = await person.messages();
    for (const question of ['Which address', 'What is it for', 'For how long']) {
      const asked = shown.filter(({ text }) => text?.includes(question));
      expect(asked, question).toHaveLength(1);
      expect(asked[0]?.keyboard ?? [], question).toEqual([]);
    }
    expect(shown.at(-1)?.keyboard?.flat()).not.toEqual([]);
  }));

test.concurrent.each([
  ['/account', 'GET /account/profile', 'Balance: 1000.00 TRX'],
  ['/webhooklog', 'GET /webhooks/logs', 'Nothing was sent yet'],
  ['Deposit', 'GET /account/deposit', '= 3.0769 TRX'],
])('%s: explains a failed read, and repeats it on Try again', (way, endpoint, shows) =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await world.fault(endpoint, 'error-before', { times: 3, status: 503 });
    if (way.startsWith('/')) await person.say(way);
    else {
      await person.tap('Balance');
      await person.tap(way);
    }
    const failed = await person.reads("The rental service doesn't answer right now");
    await person.tap('Try again');
    // A picture is always a new message.
    await (way === 'Deposit' ? person.readsBelow(failed, shows) : person.shows(failed, shows));
  }),
);
