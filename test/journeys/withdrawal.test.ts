import { expect } from 'vitest';
import { journeysWith } from '../support/journey.ts';
import { codeNow, linkAccount, TARGET, toCode, toEnds } from '../support/steps.ts';

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
  'continues after restarts during the check and during the wait',
  async (person, world) => {
    await linkAccount(person);
    await toEnds(person);
    await person.say('abcdef');
    await person.reads("Those aren't the last 6 characters");
    await world.restart();
    await person.sayAndRead(TARGET.slice(-6), 'in 10 min');
    await world.stopApps();
    await world.advance(600);
    await world.startApps();
    await person.reads('Security hold is over');
    const card = await person.tapAndRead('Show card', 'Review and confirm');
    await person.confirm(card, 'Withdrawal accepted');
    expect(world.countRequests(WITHDRAW)).toBe(1);
  },
);
