import { expect } from 'vitest';
import { FEATURES } from '../../src/features/features.ts';
import { KINDS } from '../../src/operations/operations.ts';
import { journeysWith } from '../support/journey.ts';
import { reminderFeature } from '../support/made-up/reminder-feature.ts';
import { MADE_UP_TEXTS } from '../support/made-up/texts.ts';
import { tipFeature } from '../support/made-up/tip-feature.ts';
import { tip } from '../support/made-up/tip-kind.ts';
import { findButton } from '../support/person.ts';
import { linkAccount } from '../support/steps.ts';
import { ADDRESS } from '../support/world.ts';

const appOptions = {
  kinds: [...KINDS, tip],
  features: [...FEATURES, tipFeature, reminderFeature],
  texts: MADE_UP_TEXTS,
};

const it = journeysWith({ appOptions });

it('a kind and a feature in two files get a menu entry, a command, a card, a receipt and a repeat button', async (person, world) => {
  await linkAccount(person);
  const commands = await world.control<{ method: string; params: { commands?: { command: string }[] } }[]>(
    'GET',
    '/telegram/calls?method=setMyCommands',
  );
  expect(commands[0]?.params.commands?.map(({ command }) => command)).toContain('tip');
  await person.tapAndRead('🎁 Tip', 'Who gets the tip');
  await person.say(ADDRESS);
  const card = await person.sayAndRead('3', 'Review and confirm');
  expect(card.text).toContain(`🎁 A tip of 3.00 TRX\nTo: ${ADDRESS}`);
  await person.tapAndRead('Back', 'How much TRX', card);
  const other = await person.sayAndRead('4', 'Review and confirm', card);
  const receipt = await person.confirm(other, '✅ Given');
  expect(findButton([receipt], 'Tip again')).toBeDefined();
  const fresh = await person.tapAndRead('Tip again', 'Review and confirm', other);
  expect(fresh.text).toContain('A tip of 4.00 TRX');
  await person.shows(other, '✅ Given');
});

journeysWith({ onRedis: true, appOptions })(
  'a made-up feature stores data, notifies when it is due, and has a help topic',
  async (person, world) => {
    await linkAccount(person);
    await person.sayAndRead('/reminder', 'What should I remind you of');
    await person.sayAndRead('x'.repeat(51), 'Write one line of up to 50 characters');
    await person.sayAndRead('Rent energy', "I'll remind you in an hour: Rent energy");
    await world.advance(3_600);
    await person.reads('⏰ Rent energy');
    await person.sayAndRead('/help', 'When does a reminder come?');
    await person.sayAndRead('/privacy', 'What I keep about you');
    await person.tapAndRead('Full list', 'Reminders, until they are sent.');
  },
);
