import { expect } from 'vitest';
import { journey, journeysWith } from '../support/journey.ts';
import { codeNow, linkAccount, TARGET, toCode, toHeldCard } from '../support/steps.ts';

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
