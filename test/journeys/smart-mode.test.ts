import { expect, test } from 'vitest';
import { journey as it, journeysWith } from '../support/journey.ts';
import type { Person, ShownMessage } from '../support/person.ts';
import { dataOf, linkAccount, toSmartModeCard, WATCHED } from '../support/steps.ts';
import { ADMIN, HOLDER, inWorld } from '../support/world.ts';

type World = Parameters<Parameters<typeof inWorld>[1]>[0];

const ACTIVATE = 'POST /smart-mode/activate';

async function started(person: Person): Promise<ShownMessage> {
  const card = await toSmartModeCard(person);
  return person.confirm(card, 'Balance left');
}

/** Opens the list and taps this button of its only subscription. Returns the card. */
async function toActCard(person: Person, label: 'Pause 1' | 'Resume 1'): Promise<ShownMessage> {
  const { message_id = 0 } = await person.say('/smart');
  await person.reads('BW Guarantee on', { message_id });
  return person.tapAndRead(label, 'Check before you confirm', { message_id });
}

/** Returns the number of these requests for the subscription. */
async function askedOf(world: World, what: 'toggle' | 'deactivate'): Promise<number> {
  return world.countRequests(`POST /smart-mode/${(await subscriptionOf(world))?.id}/${what}`);
}

const subscriptionOf = (world: World) =>
  world.rental().then(({ subscriptions }) => subscriptions.find(({ address }) => address === WATCHED));

it('starts, pauses, resumes and ends Smart Mode, each with a separate card', async (person, world) => {
  await linkAccount(person);
  await person.tapAndRead('Smart Mode', 'You have none yet');
  const card = await toSmartModeCard(person);
  expect(card.text).toContain(`🔁 Start Smart Mode · Shop\nTo: ${WATCHED}`);
  expect(card.text).toContain('the first of which is charged at once');
  expect(card.text).toContain('BW Guarantee: on, 0.3 TRX more for each transfer');
  const receipt = await person.confirm(card, 'Balance left');
  expect(receipt.text).toMatch(/^✅ Done\n[\s\S]*Charged: \d+\.\d+ TRX\n[\s\S]*Each transfer: \d+\.\d+ TRX/);
  expect(await subscriptionOf(world)).toMatchObject({ status: 'active', label: 'Shop' });

  const pausing = await toActCard(person, 'Pause 1');
  expect(pausing.text).toContain(`⏸ Pause Smart Mode · Shop\nTo: ${WATCHED}`);
  expect(pausing.text).not.toContain('Price');
  await person.confirm(pausing, 'Status: paused');
  expect(await subscriptionOf(world)).toMatchObject({ status: 'paused' });

  const resuming = await toActCard(person, 'Resume 1');
  await person.confirm(resuming, 'Status: active');
  expect(await subscriptionOf(world)).toMatchObject({ status: 'active' });

  const { message_id = 0 } = await person.say('/smart');
  await person.reads('BW Guarantee on', { message_id });
  await person.tapAndRead('End 1', 'End Smart Mode for good?', { message_id });
  const ending = await person.tapAndRead('Yes, end it for good', 'Check before you confirm', { message_id });
  expect(ending.text).toContain("This can't be undone.");
  expect(await askedOf(world, 'deactivate')).toBe(0);
  await person.confirm(ending, 'Status: ended for good');
  await person.sayAndRead('/smart', 'You have none yet', ending);
  expect(world.countRequests(ACTIVATE)).toBe(1);
  expect([await askedOf(world, 'toggle'), await askedOf(world, 'deactivate')]).toEqual([2, 1]);
});

it('shows the fees of the last time on the next card', async (person, world) => {
  await linkAccount(person);
  const first = await toSmartModeCard(person);
  expect(first.text).toContain('The service names its fees only once it has begun');
  await person.tap('Confirm');
  const { text: receipt = '' } = await person.shows(first, 'Balance left');
  const charged = /Charged: (\S+) TRX/.exec(receipt)?.[1];
  const transfer = /Each transfer: (\S+) TRX/.exec(receipt)?.[1] ?? '';
  const next = await toSmartModeCard(person, 'Again');
  expect(next.text).toContain(`Daily fee, as it was last time: about ${charged} TRX`);
  expect(next.text).toContain(
    `Fee for each transfer, as it was last time with the same BW Guarantee: ${transfer} TRX`,
  );
  // The service has a subscription for this address, so the bot sends no second request.
  await person.confirm(next, 'This address has Smart Mode already');
  expect(world.countRequests(ACTIVATE)).toBe(1);
});

it('accepts Back and Cancel, and explains a wrong answer', async (person, world) => {
  await linkAccount(person);
  const begin = await person.say('/smart');
  const below = (part: string) => person.reads(part, { message_id: begin.message_id ?? 0 });
  await below('The service watches');
  await person.tap('Start for an address');
  await person.say('no address');
  await below('I see no TRON address in that');
  await person.say(WATCHED);
  await below('A name for it');
  await person.tap('Back');
  await below('Which address sends USDT often');
  await person.say(WATCHED);
  await world.settled();
  await person.tap('Without a name');
  await below('With BW Guarantee?');
  await person.say('maybe');
  await below('Please tap one of the buttons');
  await person.tap('Back');
  await world.settled();
  await person.say('<b>Shop</b> 👩‍🍳\nevil.example');
  await world.settled();
  await person.tap('Without');
  const card = await below('Check before you confirm');
  expect(card.text).toContain('Start Smart Mode · <b>Shop</b>');
  expect(card.text).toContain('BW Guarantee: off');
  await person.tap('Back');
  await world.settled();
  await person.tap('Cancel');
  await below('Stopped. Nothing was done.');
  expect(world.countRequests(ACTIVATE)).toBe(0);
});

test.concurrent.each([
  // The next change is possible once the outcome is known, or after ten minutes.
  ['cut-after', 'Status: paused', { status: 'paused', next: 'Status: active', asked: 2 }],
  [
    'cut-before',
    "The outcome isn't known yet",
    { status: 'active', next: 'Try again in ten minutes', asked: 1 },
  ],
] as const)(
  '%s: settles a pause with a lost response by the resulting state, and never repeats it',
  (fault, shows, { status, next, asked }) =>
    inWorld({}, async (world) => {
      const person = await linkAccount(world.person(HOLDER));
      await started(person);
      const card = await toActCard(person, 'Pause 1');
      await world.fault('POST /smart-mode/{subscription_id}/toggle', fault);
      const shown = await person.confirm(card, shows);
      if (status === 'active') expect(shown.text).toContain("Don't repeat it");
      expect(await subscriptionOf(world)).toMatchObject({ status });
      const again = await toActCard(person, status === 'active' ? 'Pause 1' : 'Resume 1');
      await person.tapToShow(status === 'active' ? 'Do it anyway' : 'Confirm', again, next);
      expect(await askedOf(world, 'toggle')).toBe(asked);
    }),
);

it('pauses once if two users of an account pause at the same time', async (_person, world) => {
  const people = [world.person(HOLDER), world.person(ADMIN)] as const;
  for (const person of people) await linkAccount(person);
  await started(people[0]);
  const cards = [await toActCard(people[0], 'Pause 1'), await toActCard(people[1], 'Pause 1')] as const;
  await Promise.all(
    people.map((person, at) => {
      const card = cards[at as 0 | 1];
      return person.tapData(card.message_id, dataOf(card, 'Confirm'));
    }),
  );
  await world.settled();
  await Promise.all(
    people.map((person, at) =>
      person.until('an outcome', (shown) =>
        shown.find(
          (m) => m.message_id === cards[at as 0 | 1].message_id && /Done|Not done/.test(m.text ?? ''),
        ),
      ),
    ),
  );
  expect(await subscriptionOf(world)).toMatchObject({ status: 'paused' });
  expect(await askedOf(world, 'toggle')).toBe(1);
});

journeysWith({ onRedis: true })('continues at the same question after a restart', async (person, world) => {
  await linkAccount(person);
  await person.say('/smart');
  await person.tap('Start for an address');
  await person.sayAndRead(WATCHED, 'A name for it');
  await world.restart();
  await person.sayAndRead('Shop', 'With BW Guarantee?');
  await person.say('/settings');
  await person.tapAndRead('Русский', 'Что сделаем?');
  expect(world.countRequests(ACTIVATE)).toBe(0);
});
