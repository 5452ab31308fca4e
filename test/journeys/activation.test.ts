import { expect, test } from 'vitest';
import { journey as it } from '../support/journey.ts';
import type { Person } from '../support/person.ts';
import { redisUrl } from '../support/redis.ts';
import { dataOf, linkAccount, operationOf, toActivationCard } from '../support/steps.ts';
import { ADDRESS, HOLDER, inWorld, MERCHANT } from '../support/world.ts';

const ACTIVATE = 'POST /energy/activate';
/** Valid addresses without transactions. The last two have the same first and last characters. */
const NEW_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const KNOWN = 'TJCLNmsxAudk8BnFmKvSQdyc18Fc5dxAwk';
const LOOKALIKE = 'TJCLNmsxAvBBZX4hQqBqAqhq5M5iLCxAwk';

it('activates an address once, shows its transaction, and then rejects it uncharged', async (person, world) => {
  await linkAccount(person);
  await person.tap('Activate address');
  await person.reads('It costs 1.10 TRX');
  await person.say(`please this one: https://explorer.example/#/address/${NEW_ADDRESS}?lang=en`);
  const card = await person.reads('Check before you confirm');
  expect(card.text).toContain(`🚀 Activation of an address\nTo: ${NEW_ADDRESS}`);
  expect(card.text).toContain('Price: about 1.10 TRX');
  expect(card.text).toContain("An activation can't be undone.");
  await person.tap('Confirm');
  const receipt = await person.shows(card, 'Balance left: 998.90 TRX');
  expect(receipt.text).toMatch(/^✅ Activated\n/);
  expect(receipt.text).toMatch(/Transaction: [0-9a-f]{64}/);
  expect(receipt.text).toContain('Charged: 1.10 TRX');
  expect(dataOf(receipt, 'again')).toBe('');

  await person.say('/activate');
  await person.say(NEW_ADDRESS);
  await person.readsBelow(card, `${NEW_ADDRESS} is active already, so there is nothing to pay for`);
  expect(world.asked(ACTIVATE)).toBe(1);
  await person.say('Cancel');
  await person.readsBelow(card, 'Stopped. Nothing was done.');
});

it('remembers an address that the service rejected as already active', async (person, world) => {
  await linkAccount(person);
  const other = world.person(MERCHANT);
  await fetch(`${world.origin}/api/v1/energy/activate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'operator-key' },
    body: JSON.stringify({ address: ADDRESS }),
  });
  const card = await toActivationCard(person, ADDRESS);
  await person.tap('Confirm');
  const refused = await person.shows(card, 'Not activated. Nothing was charged.');
  expect(refused.text).toContain('This address is active already');
  expect((await world.rental()).accounts[0]?.balance_trx).toBe('1000.00');
  await linkAccountInRussian(other);
  await other.say('/activate');
  await other.say(ADDRESS);
  await other.reads('уже активен, платить не за что');
  expect(world.asked(ACTIVATE)).toBe(2);
});

async function linkAccountInRussian(person: Person): Promise<void> {
  await person.say('/start');
  await person.tap('Привязать аккаунт');
  await person.reads('Жду ваш ключ');
  await person.say('merchant-key');
  await person.reads('Аккаунт привязан');
}

test.concurrent.each([['cut-after'], ['garbage']])(
  '%s: a lost response makes an activation unknown, then likely, and warns of a duplicate',
  (fault) =>
    inWorld({}, async (world) => {
      const person = world.person(HOLDER);
      await linkAccount(person);
      const card = await toActivationCard(person, NEW_ADDRESS);
      await world.fault(ACTIVATE, fault);
      await person.tap('Confirm');
      const likely = await person.shows(card, '🟡 Most likely activated');
      expect(likely.text).toContain("Don't repeat");
      expect(likely.text).toContain(`Operation ${operationOf(card)}`);
      expect(await world.told("The outcome isn't known yet")).toBeGreaterThan(0);
      const same = await toActivationCard(person, NEW_ADDRESS);
      expect(same.text).toContain(`Possible duplicate of operation ${operationOf(card)}`);
      expect(dataOf(same, 'Activate anyway')).toBe(`operation:confirm:${operationOf(same)}`);
      expect(world.asked(ACTIVATE)).toBe(1);
    }),
);

it('warns of a lookalike address and a low balance in Russian', async (_person, world) => {
  const person = world.person(MERCHANT);
  await linkAccountInRussian(person);
  await person.tap('Активировать адрес');
  await person.reads('Какой адрес активировать');
  await person.say(KNOWN);
  const known = await person.reads('Проверьте, прежде чем подтвердить');
  await person.tap('Подтвердить');
  await person.shows(known, 'Активирован');
  await world.control('POST', '/rental/accounts/1002/balance', { balance_trx: '0.40' });
  await person.say('/activate');
  await person.say(LOOKALIKE);
  const short = await person.readsBelow(known, 'Не хватает средств');
  expect(short.text).toContain('Не хватает: около 0.70 TRX');
  await world.control('POST', '/rental/accounts/1002/balance', { balance_trx: '5.00' });
  await person.tap('Проверить снова');
  const card = await person.readsBelow(known, 'Проверьте, прежде чем подтвердить');
  expect(card.text).toContain('Присмотритесь');
  expect(card.text).toContain(KNOWN.replace(/.{4}(?=.)/g, '$& '));
  await person.tap('Отмена');
  await person.shows(card, 'Отменено');
  expect(world.asked(ACTIVATE)).toBe(1);
});

test.concurrent('continues after restarts before the address and before Confirm', async () =>
  inWorld({ redisUrl: await redisUrl() }, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await person.say('/activate');
    await person.reads('Which address shall I activate');
    await world.settled();
    await world.restart();
    await person.say(NEW_ADDRESS);
    const card = await person.reads('Check before you confirm');
    await world.settled();
    await world.restart();
    await person.tap('Confirm');
    await person.shows(card, '✅ Activated');
    expect(world.asked(ACTIVATE)).toBe(1);
  }));
