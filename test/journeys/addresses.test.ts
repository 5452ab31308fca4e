import { expect, test } from 'vitest';
import { journey as it } from '../support/journey.ts';
import { redisUrl } from '../support/redis.ts';
import { linkAccount, toCard } from '../support/steps.ts';
import { ADDRESS, GUEST, HOLDER, inWorld } from '../support/world.ts';

const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

/** Ways in which users paste an address. */
const PASTED = [
  ADDRESS,
  `please send it to ${ADDRESS}, thanks!`,
  `https://tronscan.org/#/address/${ADDRESS}/transfers?page=2`,
  `tron:${ADDRESS}?amount=5`,
  `_${ADDRESS}_`,
  `${ADDRESS.slice(0, 10)}\u200b${ADDRESS.slice(10, 20)}\u00ad${ADDRESS.slice(20)}`,
  [...ADDRESS].map((sign) => String.fromCodePoint(sign.charCodeAt(0) + 0xfee0)).join(''),
  `https://x.example/?to=%54${ADDRESS.slice(1)}`,
];

it('offers a purchase for a pasted address in any notation', async (person) => {
  await linkAccount(person);
  for (const words of PASTED) {
    const { message_id = 0 } = await person.say(words);
    const offered = await person.readsBelow({ message_id }, 'What would you like to do with it?');
    expect(offered.html).toContain(`<code>${ADDRESS}</code>`);
  }
  await person.tap('Buy energy');
  const question = await person.reads('What is it for');
  expect(question.text).toContain(`To: ${ADDRESS}`);
  await person.tap('recipient holds USDT');
  await person.reads('For how long');
  await person.tap('1 hour');
  const card = await person.reads('Check before you confirm');
  await person.tap('Confirm');
  await person.shows(card, 'Bought');
});

it('asks which of two addresses is meant, and names a lookalike letter', async (_person, world) => {
  const person = world.person(GUEST);
  await person.say(`${ADDRESS}\n${OTHER}`);
  await person.reads('Which one do you mean?');
  await person.tap('2 · TLx8h8');
  const chosen = await person.reads('you need an account');
  expect(chosen.html).toContain(`<code>${OTHER}</code>`);
  expect(chosen.text).not.toContain(ADDRESS);
  await person.say(ADDRESS.replace('H', 'Н'));
  await person.reads('“Н” at place 5 (Cyrillic)');
});

it('shows the card at once for /buy with address, amount and hours', async (person, world) => {
  await linkAccount(person);
  await person.say(`/buy ${ADDRESS} 65000 24`);
  const card = await person.reads('Check before you confirm');
  expect(card.html).toContain(`<code>${ADDRESS}</code>`);
  expect(card.text).toContain('24 hours');
  await person.tap('Confirm');
  await person.shows(card, 'Bought');
  const { orders } = await world.rental();
  expect(orders).toMatchObject([{ address: ADDRESS, energy_amount: 65_000, duration_hours: 24 }]);
});

test.each([
  ['in memory', async () => undefined],
  ['on Redis', redisUrl],
])('uses a named default address for the next purchase: %s', async (_, at) => {
  const url = await at();
  await inWorld({ redisUrl: url }, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    const first = await toCard(person);
    await person.tap('Confirm');
    await person.shows(first, 'Bought');
    await person.say('/addresses');
    await person.tap('TR7NHq');
    await person.tap('Name it');
    await person.reads('What shall I call it?');
    await person.say('Main wallet');
    await person.tap('Make default');
    await person.reads('your default');
    await person.say('/settings');
    await person.tap('Hours: ask');
    const settings = await person.reads('Hours: 1 hour');
    expect(settings.text).toContain('★ Main wallet');
    if (url) await world.restart();
    await person.say('/buy');
    await person.readsBelow(settings, 'Your default address: ★ Main wallet');
    await person.tap('recipient holds USDT');
    const card = await person.readsBelow(settings, 'Check before you confirm');
    expect(card.text).toContain('1 hour');
    await person.tap('Confirm');
    await person.shows(card, 'Bought');
    await person.say('/withdraw 5');
    await person.readsBelow(card, 'Which address');
    await person.say('main wallet');
    await person.readsBelow(card, 'last 6 characters');
  });
});
