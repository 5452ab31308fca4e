import { expect } from 'vitest';
import { journey as it, journeysWith } from '../support/journey.ts';
import type { Person } from '../support/person.ts';
import { codeNow, linkAccount, TARGET, toCode, toEnds, toWithdrawalCard } from '../support/steps.ts';
import { ADMIN, HOLDER, type World } from '../support/world.ts';

const WITHDRAW = 'POST /account/withdrawal';
/** Asserts that no message, no Telegram call and no log line contains the code. */
async function expectNowhere(world: World, person: Person, code: string): Promise<void> {
  await world.settled();
  expect(JSON.stringify(await person.messages())).not.toContain(code);
  expect(JSON.stringify(await world.control('GET', '/telegram/calls'))).not.toContain(`"${code}"`);
  expect(JSON.stringify(world.log)).not.toContain(code);
}

it('withdraws TRX with a card that shows all costs and a code, whose message is deleted', async (person, world) => {
  await linkAccount(person, 'totp-key');
  await person.tap('Balance');
  await person.tapAndRead('Withdraw', 'Fee: 1.00 TRX extra');
  const card = await toWithdrawalCard(person);
  for (const part of [
    `📤 Withdrawal of 12.50 TRX\nTo: ${TARGET}`,
    TARGET.replace(/.{4}(?=.)/g, '$& '),
    'First withdrawal to this address',
    'Arrives: 12.50 TRX\nFee: 1.00 TRX\nLeaves your balance: 13.50 TRX',
    "Can't be undone. Carries no memo",
    'Valid for 2 min',
  ]) {
    expect(card.text).toContain(part);
  }
  await person.confirm(card, 'Send your 2FA code');
  expect(world.countRequests(WITHDRAW)).toBe(0);
  const code = codeNow();
  await person.say(code);
  const receipt = await person.shows(card, 'Balance left: 286.50 TRX');
  expect(receipt.text).toMatch(/^✅ Withdrawal accepted\n/);
  expect(receipt.text).toContain('Charged: 13.50 TRX');
  expect(world.countRequests(WITHDRAW)).toBe(1);
  await expectNowhere(world, person, code);
  await person.ask('/start', 'Balance: 286.50 TRX');
});

journeysWith({ onRedis: true })(
  'accepts the code after a restart between the card and the code',
  async (person, world) => {
    await linkAccount(person, 'totp-key');
    const card = await toCode(person);
    await world.restart();
    const code = codeNow();
    await person.say(code);
    await person.shows(card, 'Withdrawal accepted');
    await expectNowhere(world, person, code);
    expect(world.countRequests(WITHDRAW)).toBe(1);
  },
);

const TEN_MINUTES = 600;

/** Completes the questions, up to the announcement of the address, or to the card if its wait is over. */
async function checked(person: Person, amount = '12.5', ends = TARGET.slice(-6)): Promise<void> {
  await toEnds(person, TARGET, amount);
  await person.say(ends);
}

it('announces a new address to all holders, and offers its card ten minutes later', async (_person, world) => {
  const [person, other] = [world.person(HOLDER), world.person(ADMIN)];
  for (const one of [person, other]) await linkAccount(one);
  await checked(person, '12.5', 'abcdef');
  await person.reads("Those aren't the last 6 characters");
  await person.sayAndRead(TARGET.slice(-6), 'The card comes in 10 min');
  const reply = await other.reads('to a new address');
  expect(reply.text).toContain(TARGET);
  await world.advance(TEN_MINUTES);
  await person.reads('Security hold is over');
  const card = await person.tapAndRead('Show card', 'Review and confirm');
  expect(card.text).toContain('Daily limit: 1,000.00 TRX');
  expect(world.countRequests(WITHDRAW)).toBe(0);
  const receipt = await person.confirm(card, 'Withdrawal accepted');
  expect(receipt.text).toContain('Charged: 13.50 TRX');
  await other.reads('Withdrawal from account 1001');
  expect(world.countRequests(WITHDRAW)).toBe(1);
});

journeysWith({ onRedis: true })(
  'continues after restarts during the check and during the wait',
  async (person, world) => {
    await linkAccount(person);
    await checked(person, '12.5', 'abcdef');
    await person.reads("Those aren't the last 6 characters");
    await world.restart();
    await person.sayAndRead(TARGET.slice(-6), 'in 10 min');
    await world.stopApps();
    await world.advance(TEN_MINUTES);
    await world.startApps();
    await person.reads('Security hold is over');
    const card = await person.tapAndRead('Show card', 'Review and confirm');
    await person.confirm(card, 'Withdrawal accepted');
    expect(world.countRequests(WITHDRAW)).toBe(1);
  },
);
