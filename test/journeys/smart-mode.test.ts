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
  return person.tapAndRead(label, 'Review and confirm', { message_id });
}

/** Returns the number of these requests for the subscription. */
async function askedOf(world: World, what: 'toggle' | 'deactivate'): Promise<number> {
  return world.countRequests(`POST /smart-mode/${(await subscriptionOf(world))?.id}/${what}`);
}

const subscriptionOf = (world: World) =>
  world.rental().then(({ subscriptions }) => subscriptions.find(({ address }) => address === WATCHED));

it('starts, pauses, resumes and ends Smart Mode, each with a separate card', async (person, world) => {
  await linkAccount(person);
  await person.tapAndRead('Smart Mode', 'No addresses yet');
  const card = await toSmartModeCard(person);
  expect(card.text).toContain(`🔁 Start Smart Mode · Shop\nTo: ${WATCHED}`);
  expect(card.text).toContain('the first one charged at once');
  expect(card.text).toMatch(/Per transfer: set by the service; a single transfer costs \d+\.\d+ TRX/);
  expect(card.text).toContain('BW Guarantee: on, +0.30 TRX per transfer');
  const receipt = await person.confirm(card, 'Balance left');
  expect(receipt.text).toMatch(
    /^✅ Smart Mode is on\n[\s\S]*Daily fee: \d+\.\d+ TRX[\s\S]*Per transfer: \d+\.\d+ TRX/,
  );
  expect(await subscriptionOf(world)).toMatchObject({ status: 'active', label: 'Shop' });

  const pausing = await toActCard(person, 'Pause 1');
  expect(pausing.text).toContain(`⏸ Pause Smart Mode · Shop\nTo: ${WATCHED}`);
  expect(pausing.text).not.toContain('Price');
  await person.confirm(pausing, 'Smart Mode is paused');
  expect(await subscriptionOf(world)).toMatchObject({ status: 'paused' });

  const resuming = await toActCard(person, 'Resume 1');
  await person.confirm(resuming, 'Smart Mode is on again');
  expect(await subscriptionOf(world)).toMatchObject({ status: 'active' });

  const { message_id = 0 } = await person.say('/smart');
  await person.reads('BW Guarantee on', { message_id });
  const ending = await person.tapAndRead('End 1', 'Review and confirm', { message_id });
  expect(ending.text).toContain("This can't be undone.");
  expect(await askedOf(world, 'deactivate')).toBe(0);
  const ended = await person.confirm(ending, 'Smart Mode has ended');
  expect(ended.text).not.toContain('Status');
  await person.sayAndRead('/smart', 'No addresses yet', ending);
  expect(world.countRequests(ACTIVATE)).toBe(1);
  expect([await askedOf(world, 'toggle'), await askedOf(world, 'deactivate')]).toEqual([2, 1]);
});

it('shows the fees of the last time on the next card', async (person, world) => {
  await linkAccount(person);
  const first = await toSmartModeCard(person);
  expect(first.text).toContain('Daily fee: set by the service');
  await person.tap('Confirm');
  const { text: receipt = '' } = await person.shows(first, 'Balance left');
  const charged = /Daily fee: (\S+) TRX/.exec(receipt)?.[1];
  const transfer = /Per transfer: (\S+) TRX/.exec(receipt)?.[1] ?? '';
  const next = await toSmartModeCard(person, 'Try again');
  expect(next.text).toContain(`Daily fee: about ${charged} TRX`);
  expect(next.text).toContain(`Per transfer: about ${transfer} TRX`);
  // The service has a subscription for this address, so the bot sends no second request.
  await person.confirm(next, 'This address already has Smart Mode');
  expect(world.countRequests(ACTIVATE)).toBe(1);
});
