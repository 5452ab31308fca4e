import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { Person } from '../support/person.ts';
import { redisUrl } from '../support/redis.ts';
import { linkAccount } from '../support/steps.ts';
import { TARGET, toEnds } from '../support/withdrawing.ts';
import { ADMIN, HOLDER, inWorld } from '../support/world.ts';

const WITHDRAW = 'POST /account/withdrawal';
const TEN_MINUTES = 600;

/** Completes the questions, up to the announcement of the address, or to the card if its wait is over. */
async function checked(person: Person, amount = '12.5', ends = TARGET.slice(-6)): Promise<void> {
  await toEnds(person, TARGET, amount);
  await person.say(ends);
}

test.concurrent('announces a new address to all holders, and offers its card ten minutes later', () =>
  inWorld({}, async (world) => {
    const [person, other] = [world.person(HOLDER), world.person(ADMIN)];
    for (const one of [person, other]) await linkAccount(one);
    await checked(person, '12.5', 'abcdef');
    await person.reads("Those aren't the last 6 characters");
    await person.say(TARGET.slice(-6));
    await person.reads('In 10 minutes I offer you the card here');
    const told = await other.reads('to a new address');
    expect(told.text).toContain(TARGET);
    await world.advance(TEN_MINUTES);
    await person.reads('You can withdraw to this address now');
    await person.tap('Show the card');
    const card = await person.reads('Check before you confirm');
    expect(card.text).toContain('This account has no two-factor codes');
    expect(world.asked(WITHDRAW)).toBe(0);
    await person.tap('Confirm');
    const receipt = await person.shows(card, 'Withdrawal accepted');
    expect(receipt.text).toContain('Charged: 13.50 TRX');
    await other.reads('A withdrawal from account 1001');
    expect(world.asked(WITHDRAW)).toBe(1);
  }));

test.concurrent('offers no card for an address that another holder struck out', () =>
  inWorld({}, async (world) => {
    const [person, other] = [world.person(HOLDER), world.person(ADMIN)];
    for (const one of [person, other]) await linkAccount(one);
    await checked(person);
    await other.reads('to a new address');
    await other.tap('Strike it out');
    await other.reads('You struck it out');
    const struck = await person.reads('Struck out');
    await world.advance(TEN_MINUTES);
    await checked(person);
    await person.readsBelow(struck, 'I withdraw nothing to it from this account for a day');
    expect(
      (await person.messages()).some(({ text }) => text?.includes('You can withdraw to this address now')),
    ).toBe(false);
    expect(world.asked(WITHDRAW)).toBe(0);
  }));

test.concurrent('does not withdraw to an address that was struck out after its card was shown', () =>
  inWorld({}, async (world) => {
    const [person, other] = [world.person(HOLDER), world.person(ADMIN)];
    for (const one of [person, other]) await linkAccount(one);
    await checked(person);
    await other.reads('to a new address');
    await world.advance(TEN_MINUTES);
    await person.reads('You can withdraw to this address now');
    await person.tap('Show the card');
    const card = await person.reads('Check before you confirm');
    await other.tap('Strike it out');
    await other.reads('You struck it out');
    await person.tap('Confirm');
    await person.shows(card, 'has struck this address out, so nothing was sent');
    expect(world.asked(WITHDRAW)).toBe(0);
  }));

test.concurrent('makes only one of two concurrent withdrawals that exceed the cap together', () =>
  inWorld({ config: { withdrawCapTrx: '100' } }, async (world) => {
    const both = [world.person(HOLDER), world.person(ADMIN)];
    for (const one of both) await linkAccount(one);
    for (const one of both) await checked(one, '60');
    for (const one of both) await one.reads('In 10 minutes');
    await world.advance(TEN_MINUTES);
    for (const one of both) {
      await one.reads('You can withdraw to this address now');
      await one.tap('Show the card');
      await one.reads('Check before you confirm');
    }
    await Promise.all(both.map((one) => one.tap('Confirm')));
    await world.settled();
    await eventually(() => expect(world.asked(WITHDRAW)).toBe(1));
    await eventually(async () => {
      const shown = (await Promise.all(both.map((one) => one.messages()))).map((messages) =>
        messages.some(({ text }) => text?.includes('Withdrawal accepted')),
      );
      expect(shown.toSorted()).toEqual([false, true]);
    });
    expect(world.asked(WITHDRAW)).toBe(1);
  }));

test('continues after restarts during the check and during the wait', async () =>
  inWorld({ redisUrl: await redisUrl() }, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await checked(person, '12.5', 'abcdef');
    await person.reads("Those aren't the last 6 characters");
    await world.restart();
    await person.say(TARGET.slice(-6));
    await person.reads('In 10 minutes');
    await world.stopApps();
    await world.advance(TEN_MINUTES);
    await world.startApps();
    await person.reads('You can withdraw to this address now');
    await person.tap('Show the card');
    const card = await person.reads('Check before you confirm');
    await person.tap('Confirm');
    await person.shows(card, 'Withdrawal accepted');
    expect(world.asked(WITHDRAW)).toBe(1);
  }));

test.concurrent.each([
  ['cut-after', 'Withdrawal accepted'],
  ['cut-before', "The outcome isn't known yet"],
])('%s: settles a withdrawal with a lost response by the list, and never repeats it', (fault, shows) =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await checked(person);
    await person.reads('In 10 minutes');
    await world.advance(TEN_MINUTES);
    await person.tap('Show the card');
    const card = await person.reads('Check before you confirm');
    await world.fault(WITHDRAW, fault);
    await person.tap('Confirm');
    await person.shows(card, shows);
    expect(world.asked(WITHDRAW)).toBe(1);
  }),
);
