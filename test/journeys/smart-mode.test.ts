import { expect } from 'vitest';
import { journey as it } from '../support/journey.ts';
import type { Person, ShownMessage } from '../support/person.ts';
import { linkAccount, toSmartModeCard, WATCHED } from '../support/steps.ts';
import type { World } from '../support/world.ts';

const ACTIVATE = 'POST /smart-mode/activate';

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
