import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journey as it, journeysWith } from '../support/journey.ts';
import type { ShownMessage } from '../support/person.ts';
import { buyEnergy, linkAccount, linkWithEvents, operationOf, toBandwidthCard } from '../support/steps.ts';
import { ADDRESS, HOLDER, inWorld, MERCHANT, type World } from '../support/world.ts';

const BUY = 'POST /bandwidth/buy';
const KNOWN = 'TJCLNmsxAudk8BnFmKvSQdyc18Fc5dxAwk';
const LOOKALIKE = 'TJCLNmsxAvBBZX4hQqBqAqhq5M5iLCxAwk';

/** Fills the latest order at the rental service. */
async function fillLast(world: World): Promise<void> {
  const [order] = (await world.rental()).orders;
  await world.control('POST', `/rental/orders/${order?.order_id}/fill`);
}

it('buys bandwidth at the documented price and notifies of its delivery', async (person, world) => {
  await linkWithEvents(person);
  await person.say('/start');
  await person.tapAndRead('Bandwidth', 'An address has 600 a day for free');
  await person.sayAndRead(ADDRESS, 'How much?');
  await person.sayAndRead('349', 'Write a whole number from 350 to 100,000');
  const hours = await person.sayAndRead('1,000', 'For how long?');
  expect(hours.keyboard?.flat().map(({ text }) => text)).toContain('24 hours · ≈ 9.80 TRX');
  await person.sayAndRead('a week', 'Write a whole number of hours from 1 to 720');
  const card = await person.tapAndRead('24 hours', 'Check before you confirm');
  expect(card.text).toContain(`📶 1,000 bandwidth · 24 hours\nTo: ${ADDRESS}\n\nPrice: about 9.80 TRX`);
  const receipt = await person.confirm(card, 'Balance left: 990.20 TRX');
  expect(receipt.text).toContain('Charged: 9.80 TRX');
  expect(world.countRequests(BUY)).toBe(1);
  await fillLast(world);
  await person.shows(card, 'Status: filled');
  await person.reads('Bought and delivered', card);
  const again = await person.tapAndRead('Buy again', 'Check before you confirm', card);
  expect(again.text).toContain(`📶 1,000 bandwidth · 24 hours\nTo: ${ADDRESS}`);
});

test.concurrent.each([
  ['cut-after', 'error-before'],
  ['error-after', 'cut-before'],
])('%s: a purchase with a lost response stays likely, because no event proves it', (fault) =>
  inWorld({}, async (world) => {
    const person = await linkWithEvents(world.person(HOLDER));
    const card = await toBandwidthCard(person);
    await world.fault(BUY, fault, fault === 'error-after' ? { status: 502 } : {});
    const likely = await person.confirm(card, '🟡 Most likely bought');
    expect(likely.text).toContain("Don't repeat");
    expect(likely.text).toContain(`Operation ${operationOf(card)}`);
    await fillLast(world);
    await eventually(async () => expect((await world.rental()).webhook_log).toHaveLength(1));
    await world.advance(60);
    expect(await person.shows(card, '🟡 Most likely bought')).toEqual(likely);
    expect(world.countRequests(BUY)).toBe(1);
  }),
);

it('a filled energy order does not settle a lost bandwidth purchase for its address', async (person, world) => {
  await linkWithEvents(person);
  const lost = await toBandwidthCard(person);
  await world.fault(BUY, 'cut-before');
  await person.confirm(lost, 'so far: no trace yet');
  const bought = await buyEnergy(person, 'Balance left');
  await fillLast(world);
  await person.shows(bought, 'Status: filled');
  await eventually(async () => expect((await world.rental()).webhook_log).toHaveLength(1));
  await world.advance(60);
  const still: ShownMessage = await person.shows(lost, "The outcome isn't known yet");
  expect(still.text).toContain("Don't repeat");
});

it('warns of a lookalike address and a low balance in Russian', async (_person, world) => {
  const person = world.person(MERCHANT);
  await person.say('/start');
  await person.tapAndRead('Привязать аккаунт', 'Жду ваш ключ');
  await person.sayAndRead('merchant-key', 'Аккаунт привязан');
  await person.tap('Пропускная способность');
  await person.say(KNOWN);
  await person.tap('350');
  const known = await person.tapAndRead('1 ч', 'Проверьте, прежде чем подтвердить');
  expect(known.text).toContain('Цена: около 0.34 TRX');
  await person.tapToShow('Подтвердить', known, '✅ Куплено');
  await world.control('POST', '/rental/accounts/1002/balance', { balance_trx: '0.10' });
  await person.say('/bandwidth');
  await person.say(LOOKALIKE);
  await person.tap('350');
  const short = await person.tapAndRead('1 ч', 'Не хватает средств', known);
  expect(short.text).toContain('Не хватает: около 0.24 TRX');
  await world.control('POST', '/rental/accounts/1002/balance', { balance_trx: '50.00' });
  const card = await person.tapAndRead('Проверить снова', 'Присмотритесь', known);
  await person.tapToShow('Подтвердить', card, '✅ Куплено');
  expect(world.countRequests(BUY)).toBe(2);
});

journeysWith({ onRedis: true })('continues after a restart at every step', async (person, world) => {
  await linkAccount(person);
  for (const [words, shows] of [
    ['/bandwidth', 'Which address'],
    [ADDRESS, 'How much?'],
    ['5000', 'For how long?'],
    ['3 days', 'Check before you confirm'],
  ] as const) {
    await person.sayAndRead(words, shows);
    await world.settled();
    await world.restart();
  }
  const card = await person.reads('5,000 bandwidth · 72 hours');
  await person.confirm(card, '✅ Bought');
  expect(world.countRequests(BUY)).toBe(1);
});

it('accepts common notations of a duration in both languages', async (person) => {
  await linkAccount(person);
  for (const [written, hours] of [
    ['3 дня', 72],
    ['2 д', 48],
    ['5 дней', 120],
    ['24 ч', 24],
    ['3 days', 72],
    ['6h', 6],
  ] as const) {
    const card = await toBandwidthCard(person, ADDRESS, '1000', written);
    expect(card.text, written).toContain(`1,000 bandwidth · ${hours} hours`);
  }
});
