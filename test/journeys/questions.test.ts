import { expect, test } from 'vitest';
import { journey as it } from '../support/journey.ts';
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
    const person = await linkAccount(world.person(HOLDER));
    await person.sayAndRead('/buy', 'Which address');
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
    await person.tapAndRead('Exact amount', 'How much energy exactly');
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
    const again = await person.reads("Words don't confirm", card);
    expect(world.countRequests('POST /energy/buy')).toBe(0);
    await person.confirm(again, 'Bought');
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
    expect(world.countRequests('POST /energy/buy')).toBe(0);
  }));

test.concurrent('offers a used address again, and warns of a lookalike without offering it', () =>
  inFlow(async (world, person) => {
    const known = await toCard(person, KNOWN);
    expect(known.text).not.toContain('Look closely');
    await person.confirm(known, 'Balance left');
    const { message_id = 0 } = await person.say('/buy');
    await person.tap('TJCLNm…5dxAwk');
    expect((await person.reads('What is it for', { message_id })).text?.replaceAll(' ', '')).toContain(KNOWN);
    await person.tapAndRead('Cancel', 'Stopped. Nothing was done');

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

it('finds an address in any notation, and shows it unbroken in the next question', async (person) => {
  await linkAccount(person);
  for (const words of WRITTEN) {
    const { message_id = 0 } = await person.say('/buy');
    await person.reads('Which address', { message_id });
    const next = await person.sayAndRead(words, 'What is it for', { message_id });
    expect(next.text).toContain(`To: ${ADDRESS}`);
    expect(next.html).toContain(`<code>${ADDRESS}</code>`);
  }
});

it('accepts neither of two different addresses in one message', async (person) => {
  await linkAccount(person);
  await person.sayAndRead('/buy', 'Which address');
  await person.sayAndRead(`${ADDRESS} or TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4`, 'I see more than one address');
});

it('says that a flow ended when a command or a menu button ends it', async (person, world) => {
  await linkAccount(person);
  const menu = await person.reads('What would you like to do');
  const question = await person.sayAndRead('/buy', 'Which address');
  await person.say('/settings');
  const settings = await person.reads('I stopped what you had begun. Nothing was done.', question);
  expect(settings.text).toContain('Language');
  await world.settled();
  expect((await person.messages()).find((m) => m.message_id === question.message_id)?.keyboard ?? []).toEqual(
    [],
  );
  await person.sayAndRead('/buy', 'Which address', settings);
  await person.tapData(menu.message_id, 'menu:more');
  await person.shows(menu, 'I stopped what you had begun. Nothing was done.');
});

it('keeps the text of answered questions but removes their buttons', async (person, world) => {
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
});

test.concurrent.each([
  ['/account', 'GET /account/profile', 'Balance: 1000.00 TRX'],
  ['/webhooklog', 'GET /webhooks/logs', 'Nothing was sent yet'],
  ['Deposit', 'GET /account/deposit', '= 3.0769 TRX'],
])('%s: explains a failed read, and repeats it on Try again', (way, endpoint, shows) =>
  inWorld({}, async (world) => {
    const person = await linkAccount(world.person(HOLDER));
    await world.fault(endpoint, 'error-before', { times: 3, status: 503 });
    if (way.startsWith('/')) await person.say(way);
    else {
      await person.tap('Balance');
      await person.tap(way);
    }
    const failed = await person.reads("The rental service doesn't answer right now");
    await person.tap('Try again');
    // A picture is always a new message.
    await (way === 'Deposit' ? person.reads(shows, failed) : person.shows(failed, shows));
  }),
);
