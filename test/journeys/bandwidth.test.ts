import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journey as it } from '../support/journey.ts';
import type { ShownMessage } from '../support/person.ts';
import { redisUrl } from '../support/redis.ts';
import { linkAccount, linkWithEvents, operationOf, toBandwidthCard, toCard } from '../support/steps.ts';
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
  await person.tap('Bandwidth');
  await person.reads('An address has 600 a day for free');
  await person.say(ADDRESS);
  await person.reads('How much?');
  await person.say('349');
  await person.reads('Write a whole number from 350 to 100,000');
  await person.say('1,000');
  const hours = await person.reads('For how long?');
  expect(hours.keyboard?.flat().map(({ text }) => text)).toContain('24 hours · ≈ 9.80 TRX');
  await person.say('a week');
  await person.reads('Write a whole number of hours from 1 to 720');
  await person.tap('24 hours');
  const card = await person.reads('Check before you confirm');
  expect(card.text).toContain(`📶 1,000 bandwidth · 24 hours\nTo: ${ADDRESS}\n\nPrice: about 9.80 TRX`);
  await person.tap('Confirm');
  const receipt = await person.shows(card, 'Balance left: 990.20 TRX');
  expect(receipt.text).toContain('Charged: 9.80 TRX');
  expect(world.asked(BUY)).toBe(1);
  await fillLast(world);
  await person.shows(card, 'Status: filled');
  await person.readsBelow(card, 'Bought and delivered');
  await person.tap('Buy again');
  const again = await person.readsBelow(card, 'Check before you confirm');
  expect(again.text).toContain(`📶 1,000 bandwidth · 24 hours\nTo: ${ADDRESS}`);
});

test.concurrent.each([
  ['cut-after', 'error-before'],
  ['error-after', 'cut-before'],
])('%s: a purchase with a lost response stays likely, because no event proves it', (fault) =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkWithEvents(person);
    const card = await toBandwidthCard(person);
    await world.fault(BUY, fault, fault === 'error-after' ? { status: 502 } : {});
    await person.tap('Confirm');
    const likely = await person.shows(card, '🟡 Most likely bought');
    expect(likely.text).toContain("Don't repeat");
    expect(likely.text).toContain(`Operation ${operationOf(card)}`);
    await fillLast(world);
    await eventually(async () => expect((await world.rental()).webhook_log).toHaveLength(1));
    await world.advance(60);
    expect(await person.shows(card, '🟡 Most likely bought')).toEqual(likely);
    expect(world.asked(BUY)).toBe(1);
  }),
);

it('a filled energy order does not settle a lost bandwidth purchase for its address', async (person, world) => {
  await linkWithEvents(person);
  const lost = await toBandwidthCard(person);
  await world.fault(BUY, 'cut-before');
  await person.tap('Confirm');
  await person.shows(lost, 'so far: no trace yet');
  const bought = await toCard(person);
  await person.tap('Confirm');
  await person.shows(bought, 'Balance left');
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
  await person.tap('Привязать аккаунт');
  await person.reads('Жду ваш ключ');
  await person.say('merchant-key');
  await person.reads('Аккаунт привязан');
  await person.tap('Пропускная способность');
  await person.say(KNOWN);
  await person.tap('350');
  await person.tap('1 ч');
  const known = await person.reads('Проверьте, прежде чем подтвердить');
  expect(known.text).toContain('Цена: около 0.34 TRX');
  await person.tap('Подтвердить');
  await person.shows(known, '✅ Куплено');
  await world.control('POST', '/rental/accounts/1002/balance', { balance_trx: '0.10' });
  await person.say('/bandwidth');
  await person.say(LOOKALIKE);
  await person.tap('350');
  await person.tap('1 ч');
  const short = await person.readsBelow(known, 'Не хватает средств');
  expect(short.text).toContain('Не хватает: около 0.24 TRX');
  await world.control('POST', '/rental/accounts/1002/balance', { balance_trx: '50.00' });
  await person.tap('Проверить снова');
  const card = await person.readsBelow(known, 'Присмотритесь');
  await person.tap('Подтвердить');
  await person.shows(card, '✅ Куплено');
  expect(world.asked(BUY)).toBe(2);
});

test.concurrent('continues after a restart at every step', async () =>
  inWorld({ redisUrl: await redisUrl() }, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    for (const [words, shows] of [
      ['/bandwidth', 'Which address'],
      [ADDRESS, 'How much?'],
      ['5000', 'For how long?'],
      ['3 days', 'Check before you confirm'],
    ] as const) {
      await person.say(words);
      await person.reads(shows);
      await world.settled();
      await world.restart();
    }
    const card = await person.reads('5,000 bandwidth · 72 hours');
    await person.tap('Confirm');
    await person.shows(card, '✅ Bought');
    expect(world.asked(BUY)).toBe(1);
  }));

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
