import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journey as it, journeysWith } from '../support/journey.ts';
import type { Person } from '../support/person.ts';
import { codeNow, linkAccount, TARGET, toCode, toEnds, toWithdrawalCard } from '../support/steps.ts';
import { ADMIN, HOLDER, inWorld } from '../support/world.ts';

type World = Parameters<Parameters<typeof inWorld>[1]>[0];

const WITHDRAW = 'POST /account/withdrawal';
const WRONG = '000000';
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
  await person.tapAndRead('Withdraw', 'The fee of 1 TRX comes on top');
  const card = await toWithdrawalCard(person);
  for (const part of [
    `📤 Withdrawal of 12.50 TRX\nTo: ${TARGET}`,
    TARGET.replace(/.{4}(?=.)/g, '$& '),
    'First withdrawal from this account to this address',
    'Arrives: 12.50 TRX\nFee: 1 TRX\nLeaves your balance: 13.50 TRX\nLeft on it: 286.50 TRX',
    "A withdrawal can't be undone, and carries no memo",
    'You can confirm this card for 2 minutes',
  ]) {
    expect(card.text).toContain(part);
  }
  await person.confirm(card, 'Send me your two-factor code');
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

it('ends on a wrong code without a charge, and deletes later numbers that look like codes', async (person, world) => {
  await linkAccount(person, 'totp-key');
  const card = await toCode(person);
  await person.say(WRONG);
  const refused = await person.shows(card, 'The service didn’t accept the code');
  expect(refused.text).toMatch(/^❌ Not withdrawn. Nothing was charged./);
  await person.sayAndRead(WRONG, 'I deleted a number that looked like a two-factor code');
  const { message_id = 0 } = await person.say('/withdraw');
  await person.reads('How much TRX?', { message_id });
  const { message_id: number = 0 } = await person.say('123456');
  await person.reads('I deleted a number', { message_id: number });
  await person.sayAndRead('12.5', 'Which address is it to go to?', { message_id: number });
  const next = await person.sayAndRead(TARGET, 'Check before you confirm', { message_id: number });
  await person.tap('Confirm');
  await world.settled();
  // The service allows one withdrawal a minute, including wrong codes, so the bot asks for no code yet.
  expect((await person.messages()).find((m) => m.message_id === next.message_id)?.text).toContain(
    'Check before',
  );
  expect(world.countRequests(WITHDRAW)).toBe(1);
  await expectNowhere(world, person, WRONG);
});

it('asks again after an invalid code, and accepts no code after Cancel', async (person, world) => {
  await linkAccount(person, 'totp-key');
  const card = await toCode(person);
  await person.sayAndRead('what code do you mean?', "I'm waiting for the code of the card above");
  await person.sayAndRead('12 34', 'I need the six digits');
  await person.tapData(card.message_id, `operation:cancel:${/Operation (\w+)/.exec(card.text ?? '')?.[1]}`);
  await person.shows(card, 'Cancelled. Nothing was charged.');
  await person.sayAndRead(codeNow(), 'I deleted a number that looked like a two-factor code');
  expect(world.countRequests(WITHDRAW)).toBe(0);
});

it('fixes the amount of All on the card, and sends nothing if the balance changes', async (person, world) => {
  await linkAccount(person, 'totp-key');
  const card = await toCode(person, 'All');
  expect(card.text).toContain('📤 Withdrawal of 299.00 TRX');
  await world.control('POST', '/rental/accounts/1004/deposit', { amount_trx: '1.00' });
  await person.say(codeNow());
  await person.shows(card, 'Your balance is another one than the card said');
  const next = await person.tapAndRead('Withdraw again', 'Check before you confirm', card);
  expect(next.text).toContain('📤 Withdrawal of 300.00 TRX');
  // If the balance differs at the tap, the bot asks for no code and shows a new card.
  await world.control('POST', '/rental/accounts/1004/deposit', { amount_trx: '1.00' });
  const afresh = await person.tapAndRead('Confirm', 'Check before you confirm', next);
  expect(afresh.text).toContain('📤 Withdrawal of 301.00 TRX');
  await person.shows(next, 'Replaced by a newer card');
  expect(world.countRequests(WITHDRAW)).toBe(0);
});

journeysWith({ config: { withdrawCapTrx: '0' } })(
  'rejects withdrawals without 2FA if the cap is 0, and to the own deposit address',
  async (person, world) => {
    await linkAccount(person);
    await person.sayAndRead('/withdraw', 'I withdraw only from accounts with two-factor codes');
    const other = await linkAccount(world.person(ADMIN), 'totp-key');
    const { accounts } = await world.rental();
    const own = accounts.find(({ id }) => id === 1004)?.deposit_address ?? '';
    await other.say('/withdraw');
    await other.sayAndRead('5', 'Which address is it to go to?');
    await other.sayAndRead(own, 'is the deposit address of this very account');
    expect(world.countRequests(WITHDRAW)).toBe(0);
  },
);

it('notifies the other holders of a withdrawal, but not its user', async (_person, world) => {
  const [person, other] = [world.person(HOLDER), world.person(ADMIN)];
  for (const one of [person, other]) await linkAccount(one, 'totp-key');
  const card = await toCode(person);
  await person.say(codeNow());
  await person.shows(card, 'Balance left');
  const reply = await other.reads('A withdrawal from account 1004');
  expect(reply.text).toContain(`📤 Withdrawal of 12.50 TRX\nTo: ${TARGET}`);
  await world.settled();
  expect((await person.messages()).some(({ text }) => text?.includes('A withdrawal from account'))).toBe(
    false,
  );
});

test.concurrent.each([
  ['cut-after', 'Withdrawal accepted'],
  ['cut-before', "The outcome isn't known yet"],
])('%s: settles a withdrawal with a lost response by the list, and never repeats it', (fault, shows) =>
  inWorld({}, async (world) => {
    const person = await linkAccount(world.person(HOLDER), 'totp-key');
    const card = await toCode(person);
    await world.fault(WITHDRAW, fault);
    const code = codeNow();
    await person.say(code);
    const shown = await person.shows(card, shows);
    if (fault === 'cut-before') expect(shown.text).toContain("Don't repeat it");
    await expectNowhere(world, person, code);
    expect(world.countRequests(WITHDRAW)).toBe(1);
  }),
);

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
  await person.sayAndRead(TARGET.slice(-6), 'In 10 minutes I offer you the card here');
  const reply = await other.reads('to a new address');
  expect(reply.text).toContain(TARGET);
  await world.advance(TEN_MINUTES);
  await person.reads('You can withdraw to this address now');
  const card = await person.tapAndRead('Show the card', 'Check before you confirm');
  expect(card.text).toContain('This account has no two-factor codes');
  expect(world.countRequests(WITHDRAW)).toBe(0);
  const receipt = await person.confirm(card, 'Withdrawal accepted');
  expect(receipt.text).toContain('Charged: 13.50 TRX');
  await other.reads('A withdrawal from account 1001');
  expect(world.countRequests(WITHDRAW)).toBe(1);
});

it('offers no card for an address that another holder blocked', async (_person, world) => {
  const [person, other] = [world.person(HOLDER), world.person(ADMIN)];
  for (const one of [person, other]) await linkAccount(one);
  await checked(person);
  await other.reads('to a new address');
  await other.tapAndRead('Strike it out', 'You struck it out');
  const struck = await person.reads('Struck out');
  await world.advance(TEN_MINUTES);
  await checked(person);
  await person.reads('I withdraw nothing to it from this account for a day', struck);
  expect(
    (await person.messages()).some(({ text }) => text?.includes('You can withdraw to this address now')),
  ).toBe(false);
  expect(world.countRequests(WITHDRAW)).toBe(0);
});

it('does not withdraw to an address that was blocked after its card was shown', async (_person, world) => {
  const [person, other] = [world.person(HOLDER), world.person(ADMIN)];
  for (const one of [person, other]) await linkAccount(one);
  await checked(person);
  await other.reads('to a new address');
  await world.advance(TEN_MINUTES);
  await person.reads('You can withdraw to this address now');
  const card = await person.tapAndRead('Show the card', 'Check before you confirm');
  await other.tapAndRead('Strike it out', 'You struck it out');
  await person.confirm(card, 'has struck this address out, so nothing was sent');
  expect(world.countRequests(WITHDRAW)).toBe(0);
});

journeysWith({ config: { withdrawCapTrx: '100' } })(
  'makes only one of two concurrent withdrawals that exceed the cap together',
  async (_person, world) => {
    const both = [world.person(HOLDER), world.person(ADMIN)];
    for (const one of both) await linkAccount(one);
    for (const one of both) await checked(one, '60');
    for (const one of both) await one.reads('In 10 minutes');
    await world.advance(TEN_MINUTES);
    for (const one of both) {
      await one.reads('You can withdraw to this address now');
      await one.tapAndRead('Show the card', 'Check before you confirm');
    }
    await Promise.all(both.map((one) => one.tap('Confirm')));
    await world.settled();
    await eventually(() => expect(world.countRequests(WITHDRAW)).toBe(1));
    await eventually(async () => {
      const shown = (await Promise.all(both.map((one) => one.messages()))).map((messages) =>
        messages.some(({ text }) => text?.includes('Withdrawal accepted')),
      );
      expect(shown.toSorted()).toEqual([false, true]);
    });
    expect(world.countRequests(WITHDRAW)).toBe(1);
  },
);

journeysWith({ onRedis: true })(
  'continues after restarts during the check and during the wait',
  async (person, world) => {
    await linkAccount(person);
    await checked(person, '12.5', 'abcdef');
    await person.reads("Those aren't the last 6 characters");
    await world.restart();
    await person.sayAndRead(TARGET.slice(-6), 'In 10 minutes');
    await world.stopApps();
    await world.advance(TEN_MINUTES);
    await world.startApps();
    await person.reads('You can withdraw to this address now');
    const card = await person.tapAndRead('Show the card', 'Check before you confirm');
    await person.confirm(card, 'Withdrawal accepted');
    expect(world.countRequests(WITHDRAW)).toBe(1);
  },
);

test.concurrent.each([
  ['cut-after', 'Withdrawal accepted'],
  ['cut-before', "The outcome isn't known yet"],
])('%s: settles a withdrawal with a lost response by the list, and never repeats it', (fault, shows) =>
  inWorld({}, async (world) => {
    const person = await linkAccount(world.person(HOLDER));
    await checked(person);
    await person.reads('In 10 minutes');
    await world.advance(TEN_MINUTES);
    const card = await person.tapAndRead('Show the card', 'Check before you confirm');
    await world.fault(WITHDRAW, fault);
    await person.confirm(card, shows);
    expect(world.countRequests(WITHDRAW)).toBe(1);
  }),
);
