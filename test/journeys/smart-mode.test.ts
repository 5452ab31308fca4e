import { expect } from 'vitest';
import { journey as it } from '../support/journey.ts';
import type { Person, ShownMessage } from '../support/person.ts';
import { linkAccount, linkWithEvents, toSmartModeCard, WATCHED } from '../support/steps.ts';
import { ADDRESS, GUEST, type World } from '../support/world.ts';

const ACTIVATE = 'POST /smart-mode/activate';

/** Opens the list and taps this button of its only subscription. Returns the message, which then shows `expected`. */
async function tapInList(person: Person, label: string, expected: string): Promise<ShownMessage> {
  const { message_id = 0 } = await person.say('/smart');
  await person.reads('with bandwidth', { message_id });
  return person.tapAndRead(label, expected, { message_id });
}

/** Returns the number of these requests for the subscription. */
async function askedOf(world: World, what: 'toggle' | 'deactivate'): Promise<number> {
  return world.countRequests(`POST /smart-mode/${(await subscriptionOf(world))?.id}/${what}`);
}

const subscriptionOf = (world: World) =>
  world.rental().then(({ subscriptions }) => subscriptions.find(({ address }) => address === WATCHED));

it('starts and ends Smart Mode with a card each, and pauses and resumes it with one tap', async (person, world) => {
  await linkAccount(person);
  await person.tapAndRead('Smart Mode', 'No addresses yet');
  const card = await toSmartModeCard(person);
  expect(card.text).toContain(`🔁 Start Smart Mode · Shop\nFor: ${WATCHED}`);
  expect(card.text).toContain('Daily fee: not known yet');
  expect(card.text).toMatch(/For comparison: \d+\.\d+ TRX for a single transfer, bandwidth included/);
  const receipt = await person.confirm(card, 'Balance left');
  expect(receipt.text).toMatch(
    /^✅ Smart Mode is on\n[\s\S]*Daily fee: \d+\.\d+ TRX[\s\S]*Per transfer, bandwidth included: \d+\.\d+ TRX/,
  );
  expect(await subscriptionOf(world)).toMatchObject({ status: 'active', label: 'Shop', bw_guarantee: true });

  const paused = await tapInList(person, 'Pause 1', 'Smart Mode is paused');
  expect(paused.text).toContain(`⏸ Pause Smart Mode · Shop\nFor: ${WATCHED}`);
  expect(await subscriptionOf(world)).toMatchObject({ status: 'paused' });
  await tapInList(person, 'Resume 1', 'Smart Mode is on again');
  expect(await subscriptionOf(world)).toMatchObject({ status: 'active' });

  const ending = await tapInList(person, 'End 1', 'Review and confirm');
  expect(ending.text).toContain('It ends for good');
  expect(ending.text).not.toContain('Price');
  expect(await askedOf(world, 'deactivate')).toBe(0);
  const ended = await person.confirm(ending, 'Smart Mode has ended');
  expect(ended.text).not.toContain('Status');
  await person.sayAndRead('/smart', 'No addresses yet', ending);
  expect(world.countRequests(ACTIVATE)).toBe(1);
  expect([await askedOf(world, 'toggle'), await askedOf(world, 'deactivate')]).toEqual([2, 1]);
});

it('shows the fees that another account was charged, and the charges of the own subscription', async (person, world) => {
  await linkWithEvents(person);
  await person.confirm(await toSmartModeCard(person), 'Balance left');
  const other = world.person(GUEST);
  await linkAccount(other, 'totp-key');
  const card = await other.sayAndRead(`/smart ${ADDRESS}`, 'Review and confirm');
  expect(card.text).toMatch(/Daily fee: 1\.50 TRX when last charged, \d+ \w+ \(any account\)/);
  expect(card.text).toMatch(/Per transfer: up to 2\.80 TRX as of \d+ \w+ \(any account\)/);

  const { id } = (await subscriptionOf(world)) ?? {};
  await world.control('POST', `/rental/smart-mode/${id}/transfer`, { amount: '10' });
  const notice = await person.reads('Smart Mode delivered energy');
  const list = await person.sayAndRead(`/smart ${WATCHED}`, 'This address already has Smart Mode', notice);
  expect(list.text).toMatch(/1\.50 TRX a day.*\n2\.80 TRX a transfer.*\nCharged so far: at least 4\.30 TRX/);
  expect(world.countRequests(ACTIVATE)).toBe(1);
});
