import { expect, test } from 'vitest';
import { journey as it, journeysWith } from '../support/journey.ts';
import type { Person } from '../support/person.ts';
import { dataOf, linkAccount, operationOf, toActivationCard } from '../support/steps.ts';
import { ADDRESS, HOLDER, inWorld, MERCHANT } from '../support/world.ts';

const ACTIVATE = 'POST /energy/activate';
/** Valid addresses without transactions. The last two have the same first and last characters. */
const NEW_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const KNOWN = 'TJCLNmsxAudk8BnFmKvSQdyc18Fc5dxAwk';
const LOOKALIKE = 'TJCLNmsxAvBBZX4hQqBqAqhq5M5iLCxAwk';

it('activates an address once, shows its transaction, and then rejects it uncharged', async (person, world) => {
  await linkAccount(person);
  await person.tapAndRead('Activate address', 'It costs 1.10 TRX');
  await person.say(`please this one: https://explorer.example/#/address/${NEW_ADDRESS}?lang=en`);
  const card = await person.reads('Check before you confirm');
  expect(card.text).toContain(`🚀 Activation of an address\nTo: ${NEW_ADDRESS}`);
  expect(card.text).toContain('Price: about 1.10 TRX');
  expect(card.text).toContain("An activation can't be undone.");
  const receipt = await person.confirm(card, 'Balance left: 998.90 TRX');
  expect(receipt.text).toMatch(/^✅ Activated\n/);
  expect(receipt.text).toMatch(/Transaction: [0-9a-f]{64}/);
  expect(receipt.text).toContain('Charged: 1.10 TRX');
  expect(dataOf(receipt, 'again')).toBe('');

  await person.say('/activate');
  await person.say(NEW_ADDRESS);
  await person.reads(`${NEW_ADDRESS} is active already, so there is nothing to pay for`, card);
  expect(world.countRequests(ACTIVATE)).toBe(1);
  await person.sayAndRead('Cancel', 'Stopped. Nothing was done.', card);
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
  const refused = await person.confirm(card, 'Not activated. Nothing was charged.');
  expect(refused.text).toContain('This address is active already');
  expect((await world.rental()).accounts[0]?.balance_trx).toBe('1000.00');
  await linkAccountInRussian(other);
  await other.say('/activate');
  await other.sayAndRead(ADDRESS, 'уже активен, платить не за что');
  expect(world.countRequests(ACTIVATE)).toBe(2);
});

async function linkAccountInRussian(person: Person): Promise<void> {
  await person.say('/start');
  await person.tapAndRead('Привязать аккаунт', 'Жду ваш ключ');
  await person.sayAndRead('merchant-key', 'Аккаунт привязан');
}

test.concurrent.each([['cut-after'], ['garbage']])(
  '%s: a lost response makes an activation unknown, then likely, and warns of a duplicate',
  (fault) =>
    inWorld({}, async (world) => {
      const person = await linkAccount(world.person(HOLDER));
      const card = await toActivationCard(person, NEW_ADDRESS);
      await world.fault(ACTIVATE, fault);
      const likely = await person.confirm(card, '🟡 Most likely activated');
      expect(likely.text).toContain("Don't repeat");
      expect(likely.text).toContain(`Operation ${operationOf(card)}`);
      expect(await world.countCallsWithText("The outcome isn't known yet")).toBeGreaterThan(0);
      const same = await toActivationCard(person, NEW_ADDRESS);
      expect(same.text).toContain(`Possible duplicate of operation ${operationOf(card)}`);
      expect(dataOf(same, 'Activate anyway')).toBe(`operation:confirm:${operationOf(same)}`);
      expect(world.countRequests(ACTIVATE)).toBe(1);
    }),
);

it('warns of a lookalike address and a low balance in Russian', async (_person, world) => {
  const person = world.person(MERCHANT);
  await linkAccountInRussian(person);
  await person.tapAndRead('Активировать адрес', 'Какой адрес активировать');
  const known = await person.sayAndRead(KNOWN, 'Проверьте, прежде чем подтвердить');
  await person.tapToShow('Подтвердить', known, 'Активирован');
  await world.control('POST', '/rental/accounts/1002/balance', { balance_trx: '0.40' });
  await person.say('/activate');
  const short = await person.sayAndRead(LOOKALIKE, 'Не хватает средств', known);
  expect(short.text).toContain('Не хватает: около 0.70 TRX');
  await world.control('POST', '/rental/accounts/1002/balance', { balance_trx: '5.00' });
  const card = await person.tapAndRead('Проверить снова', 'Проверьте, прежде чем подтвердить', known);
  expect(card.text).toContain('Присмотритесь');
  expect(card.text).toContain(KNOWN.replace(/.{4}(?=.)/g, '$& '));
  await person.tapToShow('Отмена', card, 'Отменено');
  expect(world.countRequests(ACTIVATE)).toBe(1);
});

journeysWith({ onRedis: true })(
  'continues after restarts before the address and before Confirm',
  async (person, world) => {
    await linkAccount(person);
    await person.sayAndRead('/activate', 'Which address shall I activate');
    await world.settled();
    await world.restart();
    const card = await person.sayAndRead(NEW_ADDRESS, 'Check before you confirm');
    await world.settled();
    await world.restart();
    await person.confirm(card, '✅ Activated');
    expect(world.countRequests(ACTIVATE)).toBe(1);
  },
);
