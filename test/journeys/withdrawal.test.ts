import { expect } from 'vitest';
import { journey, journeysWith } from '../support/journey.ts';
import { fixedPart } from '../support/locales.ts';
import type { Person } from '../support/person.ts';
import { codeNow, linkAccount, TARGET, toCode, toHeldCard } from '../support/steps.ts';
import { GUEST, type World } from '../support/world.ts';

const WITHDRAW = 'POST /account/withdrawal';
journeysWith({ onRedis: true })(
  'accepts the code after a restart between the card and the code, and shows and logs it nowhere',
  async (person, world) => {
    await linkAccount(person, 'totp-key');
    const card = await toCode(person);
    await world.restart();
    const code = codeNow();
    await person.say(code);
    await person.shows(card, 'Withdrawal accepted');
    await world.settled();
    expect(JSON.stringify(await person.messages())).not.toContain(code);
    expect(JSON.stringify(await world.control('GET', '/telegram/calls'))).not.toContain(`"${code}"`);
    expect(JSON.stringify(world.log)).not.toContain(code);
    expect(world.countRequests(WITHDRAW)).toBe(1);
  },
);

journeysWith({ onRedis: true })(
  'continues after restarts during the questions and during the wait',
  async (person, world) => {
    await linkAccount(person);
    await person.ask('/withdraw', 'How much should arrive?');
    await world.restart();
    await person.ask(`${TARGET} 12.5`, '10-minute security hold');
    await world.stopApps();
    await world.advance(600);
    await world.startApps();
    await person.confirm(await toHeldCard(person), 'Withdrawal accepted');
    expect(world.countRequests(WITHDRAW)).toBe(1);
  },
);

journey('takes the next code on the card that follows a wrong code', async (person, world) => {
  await linkAccount(person, 'totp-key');
  const first = await toCode(person);
  await person.say('000000');
  const card = await person.reads('One attempt a minute: tap ✅ Confirm, then send the code from', first);
  const line = await person.until('the shortened receipt', (shown) =>
    shown.find(({ message_id, keyboard }) => message_id === first.message_id && keyboard === undefined),
  );
  expect(line.text).toMatch(/^❌ .+$/);
  await person.confirm(card, 'Send your 2FA code');
  const early = await person.ask('123456', "Too early: I didn't use this code");
  await world.advance(60);
  const { now } = await world.control<{ now: number }>('GET', '/clock');
  await person.say(codeNow(now));
  await person.shows(card, 'Withdrawal accepted');
  const left = (await person.messages()).filter(({ message_id }) => message_id > first.message_id);
  expect(left.map(({ message_id }) => message_id)).toEqual([card.message_id]);
  expect(early.message_id).toBeGreaterThan(card.message_id);
  expect(world.countRequests(WITHDRAW)).toBe(2);
});

/** Holds a withdrawal of an account with two holders. Returns the other one, and the message that tells them. */
async function holdForTwo(person: Person, world: World) {
  const other = world.person(GUEST);
  await linkAccount(person);
  await linkAccount(other);
  await person.ask(`/withdraw ${TARGET} 12.5`, '10-minute security hold');
  return { other, notice: await other.reads('to a new address') };
}

journey('shows the other holder that a held withdrawal was cancelled', async (person, world) => {
  const { other, notice } = await holdForTwo(person, world);
  await person.tapAndRead('Cancel withdrawal', 'Withdrawal cancelled.', { message_id: 0 });
  const shown = await other.shows(notice, 'cancelled. Nothing was charged.');
  expect([shown.text, shown.keyboard]).toEqual([expect.not.stringContaining('can confirm'), undefined]);
});

journey('shows the other holder that the user has left the account', async (person, world) => {
  const { other, notice } = await holdForTwo(person, world);
  await person.say('/unlink');
  await person.tap(fixedPart('button-unlink-yes'));
  await other.shows(notice, 'cancelled. Nothing was charged.');
});

journey(
  'shows the other holder a confirmed withdrawal, whose address can be blocked',
  async (person, world) => {
    const { other, notice } = await holdForTwo(person, world);
    await world.advance(600);
    await person.confirm(await toHeldCard(person), 'Withdrawal accepted');
    const shown = await other.shows(notice, 'confirmed this at');
    expect(shown.text).not.toContain('can confirm it from');
    await other.tapAndRead('Block this address', 'Block this address for 24 h?', { message_id: 0 });
    const asked = await other.shows(notice, 'Block this address for 24 h?');
    expect(asked.text).toContain('confirmed this at');
    await other.tap('Block for 24 h');
    await other.reads('A withdrawal to it was made before');
  },
);

journey('tells both holders that a withdrawal was not confirmed in time', async (person, world) => {
  const { other, notice } = await holdForTwo(person, world);
  await world.advance(600);
  await person.reads('Security hold is over');
  await world.advance(86_400);
  await other.shows(notice, 'not confirmed in time. Nothing was charged.');
  const { message_id, text } = await person.reads('not confirmed within 24 hours. Nothing was charged.');
  expect(text).toContain('Withdrawal of 12.50 TRX');
  const again = await person.tapAndRead('Withdraw again', 'How much should arrive?', { message_id });
  expect(again.text).toContain(TARGET);
});
