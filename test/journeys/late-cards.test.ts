import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journey as it, journeysWith } from '../support/journey.ts';
import type { Person, ShownMessage } from '../support/person.ts';
import { dataOf, linkAccount, operationOf } from '../support/steps.ts';
import { ADDRESS, type World } from '../support/world.ts';

/** Longer than a handler may take. */
const TOO_LATE_MS = 8_600;
const BUY = 'POST /energy/buy';

/** Completes all questions except the last one, whose answer shows the card. */
async function toLastQuestion(person: Person): Promise<void> {
  await person.sayAndRead('/buy', 'Which address');
  await person.sayAndRead(ADDRESS, 'How much energy');
  await person.tapAndRead('wallet with USDT', 'For how long');
}

const cards = (shown: ShownMessage[]) => shown.filter(({ text }) => text?.includes('Review and confirm'));

async function toasts(world: World): Promise<string[]> {
  const answers = await world.control<{ params: { text?: string } }[]>(
    'GET',
    '/telegram/calls?method=answerCallbackQuery',
  );
  return answers.flatMap(({ params }) => params.text ?? []);
}

it('shows a late card again if its handler was aborted, and buys once for both', async (person, world) => {
  await linkAccount(person);
  await toLastQuestion(person);
  await world.settled();
  await world.telegramFault('sendMessage', 'latency', { ms: TOO_LATE_MS });
  await person.say('1 hour');
  const both = await person.until('both cards', (shown) => cards(shown).length === 2 && cards(shown));
  await world.settled();
  expect(new Set(both.map(operationOf)).size).toBe(1);

  for (const card of both) await person.tapData(card.message_id, dataOf(card, 'Confirm'));
  await person.reads('Bought');
  // The second tap gets one of these toasts, depending on the order of the taps.
  const answers = ['The card is further down.', 'Already on its way.', 'Already handled.'];
  await eventually(async () =>
    expect((await toasts(world)).filter((toast) => answers.includes(toast))).toHaveLength(1),
  );
  await eventually(async () => expect(cards(await person.messages())).toEqual([]));
  expect(world.countRequests(BUY)).toBe(1);
});

journeysWith({ onRedis: true })(
  'does not confirm a card from a stopped process, and shows the card again below',
  async (person, world) => {
    await linkAccount(person);
    await toLastQuestion(person);
    await world.settled();
    await world.telegramFault('sendMessage', 'hang', { after: true });
    await person.say('1 hour');
    const [dead] = await person.until('the card', (shown) => cards(shown).length === 1 && cards(shown));
    await world.stopApps();
    await person.tapData(dead?.message_id ?? 0, dead ? dataOf(dead, 'Confirm') : '');
    await world.startApps();
    const card = await person.until('the card below', (shown) =>
      cards(shown).find(({ message_id }) => message_id > (dead?.message_id ?? 0)),
    );
    await person.shows({ message_id: dead?.message_id ?? 0 }, 'Continued below');
    await world.settled();
    expect(world.countRequests(BUY)).toBe(0);
    await person.tapData(card.message_id, dataOf(card, 'Confirm'));
    await person.shows(card, 'Bought');
    expect(world.countRequests(BUY)).toBe(1);
  },
);
