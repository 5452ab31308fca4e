import { expect, test } from 'vitest';
import type { Person } from '../support/person.ts';
import { linkAccount, toCard } from '../support/steps.ts';
import { ADDRESS, HOLDER, inWorld, type World } from '../support/world.ts';

/** Two valid addresses with the same first and last characters. */
const KNOWN = 'TJCLNmsxAudk8BnFmKvSQdyc18Fc5dxAwk';
const LOOKALIKE = 'TJCLNmsxAvBBZX4hQqBqAqhq5M5iLCxAwk';

/** Sends a text and waits until it is processed. Returns the bot's last message. */
async function answerTo(world: World, person: Person, words: string): Promise<string> {
  await person.say(words);
  await world.settled();
  return (await person.messages()).findLast(({ from }) => from === 'bot')?.text ?? '';
}

async function inFlow(journey: (world: World, person: Person) => Promise<void>): Promise<void> {
  await inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await person.say('/buy');
    await person.reads('Which address');
    await journey(world, person);
  });
}

test.concurrent('explains what is wrong with an address, and stays at the step', () =>
  inFlow(async (world, person) => {
    const wrong: [address: string, problem: string][] = [
      ['hello', 'I see no TRON address in that. An address begins with T'],
      ['0x71C7656EC7ab88b098defB751B7401B5f6d8976F', 'I see no TRON address in that'],
      [ADDRESS.slice(0, 33), 'That address has 33 characters, but an address has 34'],
      [`${ADDRESS}a`, 'That address has 35 characters, but an address has 34'],
      [`${ADDRESS.slice(0, 20)}0${ADDRESS.slice(21)}`, 'contains a character that no address has'],
      [ADDRESS.replace('R7N', 'R7n'), 'There is a mistake in that address'],
      ['TKVSaJQDWeKFSEXmA44pjxduGTxy999999', 'There is a mistake in that address'],
    ];
    for (const [address, problem] of wrong) expect(await answerTo(world, person, address)).toContain(problem);
    expect(await answerTo(world, person, ` ${ADDRESS.replace(/(.{4})/g, '$1 ')}`)).toContain(
      'What is it for',
    );
  }));

test.concurrent.each([
  ['31999', undefined],
  ['31,999', undefined],
  ['32,000', '32,000'],
  ['5 000 000', '5,000,000'],
  ['5000001', undefined],
  ['12abc', undefined],
  ['-65000', undefined],
  ['65000.5', undefined],
  ['1e6', undefined],
])('reads the exact amount “%s” as %s', (words, amount) =>
  inFlow(async (world, person) => {
    await person.say(ADDRESS);
    await person.tap('Exact amount');
    await person.reads('How much energy exactly');
    const answer = await answerTo(world, person, words);
    expect(answer).toContain(amount ? `Energy: ${amount}` : 'Write a whole number from 32,000 to 5,000,000');
    if (!amount) expect(await answerTo(world, person, '65000')).toContain('Energy: 65,000');
  }),
);

test.concurrent('accepts button labels and Back as text at each step, and explains mistakes', () =>
  inFlow(async (world, person) => {
    const conversation: [says: string, answer: string][] = [
      [ADDRESS, 'What is it for'],
      ['for a friend', 'Tap one of the buttons, or write an exact amount of energy from 32,000 to 5,000,000'],
      ['12abc', 'Tap one of the buttons, or write an exact amount'],
      ['back', 'Which address'],
      [ADDRESS, 'What is it for'],
      ['several transfers', 'How many transfers'],
      ['0', 'Write a whole number from 1 to 76'],
      ['77', 'Write a whole number from 1 to 76'],
      ['two', 'Write a whole number from 1 to 76'],
      ['Back', 'What is it for'],
      ['Exact amount', 'How much energy exactly'],
      ['‹ Back', 'What is it for'],
      ['Several transfers', 'How many transfers'],
      ['76', 'Energy: 4,940,000'],
      ['2 hours', 'Choose 1 hour or 24 hours'],
      ['BACK', 'What is it for'],
      ['1 transfer, recipient is new to USDT', 'Energy: 131,000'],
      ['24 hours', 'Check before you confirm'],
      ['what?', 'This card is still waiting. Tap one of its buttons'],
      ['Back', '3 of 3'],
      ['1 day', '131,000 energy · 24 hours'],
      ['Back', '3 of 3'],
      ['1h', '131,000 energy · 1 hour'],
    ];
    for (const [says, answer] of conversation) expect(await answerTo(world, person, says)).toContain(answer);
    const card = await person.reads('Check before you confirm');
    await person.say('confirm');
    await person.shows(card, 'Continued below');
    const again = await person.readsBelow(card, "Words don't confirm");
    expect(world.asked('POST /energy/buy')).toBe(0);
    await person.tap('Confirm');
    await person.shows(again, 'Bought');
    expect((await world.rental()).orders).toMatchObject([{ energy_amount: 131_000, duration_hours: 1 }]);
  }));

test.concurrent.each([
  [[]],
  [[ADDRESS]],
  [[ADDRESS, 'Several transfers']],
  [[ADDRESS, 'Exact amount']],
  [[ADDRESS, '65000']],
])('Cancel after %j ends the flow, as a tap or as text', (said) =>
  inFlow(async (world, person) => {
    for (const words of said) await answerTo(world, person, words);
    expect(await answerTo(world, person, 'cancel')).toContain('Stopped. Nothing was done');
    await answerTo(world, person, '/buy');
    for (const words of said) await answerTo(world, person, words);
    const question = await person.tap('Cancel');
    await person.shows(question, 'Stopped. Nothing was done');
    expect(await answerTo(world, person, '65000')).toContain("I didn't understand that");
  }),
);

test.concurrent('cancels a card when the user writes Cancel', () =>
  inFlow(async (world, person) => {
    await toCard(person);
    expect(await answerTo(world, person, 'Cancel')).toContain('Cancelled. Nothing was charged');
    expect(world.asked('POST /energy/buy')).toBe(0);
  }));

test.concurrent('offers a used address again, and warns of a lookalike without offering it', () =>
  inFlow(async (world, person) => {
    const known = await toCard(person, KNOWN);
    expect(known.text).not.toContain('Look closely');
    await person.tap('Confirm');
    await person.shows(known, 'Balance left');
    const { message_id = 0 } = await person.say('/buy');
    await person.tap('TJCLNm…5dxAwk');
    expect((await person.readsBelow({ message_id }, 'What is it for')).text?.replaceAll(' ', '')).toContain(
      KNOWN,
    );
    await person.tap('Cancel');
    await person.reads('Stopped. Nothing was done');

    const card = await toCard(person, LOOKALIKE);
    expect(card.text).toContain('This address begins and ends like one of yours');
    const said = card.text?.replaceAll(' ', '');
    expect(said).toContain(KNOWN);
    expect(said).toContain(LOOKALIKE);
    await person.say('/buy');
    await world.settled();
    const question = (await person.messages()).at(-1);
    const offered = question?.keyboard?.flat().map(({ text }) => text);
    expect(offered).toEqual([
      'TJCLNm…5dxAwk',
      expect.stringContaining('Back'),
      expect.stringContaining('Cancel'),
      '❓',
    ]);
  }));

test.concurrent('finds an address in a very long text', () =>
  inFlow(async (world, person) => {
    const text = `${'my wallet, I think, is this one: '.repeat(120)}${ADDRESS}`;
    expect(await answerTo(world, person, text)).toContain('What is it for');
  }));
