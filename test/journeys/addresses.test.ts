import { expect, test } from 'vitest';
import { journey as it } from '../support/journey.ts';
import { redisUrl } from '../support/redis.ts';
import { buyEnergy, linkAccount } from '../support/steps.ts';
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
    const offered = await person.ask(words, 'What would you like to do with it?');
    expect(offered.html).toContain(`<code>${ADDRESS}</code>`);
  }
  const question = await person.tapAndRead('Buy energy', 'What is it for');
  expect(question.text).toContain(`To: ${ADDRESS}`);
  await person.tapAndRead('recipient holds USDT', 'For how long');
  const card = await person.tapAndRead('1 hour', 'Check before you confirm');
  await person.confirm(card, 'Bought');
});

it('asks which of two addresses is meant, and names a lookalike letter', async (_person, world) => {
  const person = world.person(GUEST);
  await person.sayAndRead(`${ADDRESS}\n${OTHER}`, 'Which one do you mean?');
  const chosen = await person.tapAndRead('2 · TLx8h8', 'you need an account');
  expect(chosen.html).toContain(`<code>${OTHER}</code>`);
  expect(chosen.text).not.toContain(ADDRESS);
  await person.sayAndRead(ADDRESS.replace('H', 'Н'), '“Н” at place 5 (Cyrillic)');
});

it('shows the card at once for /buy with address, amount and hours', async (person, world) => {
  await linkAccount(person);
  const card = await person.sayAndRead(`/buy ${ADDRESS} 65000 24`, 'Check before you confirm');
  expect(card.html).toContain(`<code>${ADDRESS}</code>`);
  expect(card.text).toContain('24 hours');
  await person.confirm(card, 'Bought');
  const { orders } = await world.rental();
  expect(orders).toMatchObject([{ address: ADDRESS, energy_amount: 65_000, duration_hours: 24 }]);
});

test.each([
  ['in memory', async () => undefined],
  ['on Redis', redisUrl],
])('uses a named default address for the next purchase: %s', async (_, at) => {
  const url = await at();
  await inWorld({ redisUrl: url }, async (world) => {
    const person = await linkAccount(world.person(HOLDER));
    await buyEnergy(person, 'Bought');
    await person.say('/addresses');
    await person.tap('TR7NHq');
    await person.tapAndRead('Name it', 'What shall I call it?');
    await person.say('Main wallet');
    await person.tapAndRead('Make default', 'your default');
    await person.say('/settings');
    const settings = await person.tapAndRead('Hours: ask', 'Hours: 1 hour');
    expect(settings.text).toContain('★ Main wallet');
    if (url) await world.restart();
    await person.sayAndRead('/buy', 'Your default address: ★ Main wallet', settings);
    const card = await person.tapAndRead('recipient holds USDT', 'Check before you confirm', settings);
    expect(card.text).toContain('1 hour');
    await person.confirm(card, 'Bought');
    await person.sayAndRead('/withdraw 5', 'Which address', card);
    await person.sayAndRead('main wallet', 'last 6 characters', card);
  });
});
