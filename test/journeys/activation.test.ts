import { expect } from 'vitest';
import { journey as it } from '../support/journey.ts';
import { dataOf, linkAccount } from '../support/steps.ts';

const ACTIVATE = 'POST /energy/activate';
/** Valid address without transactions. */
const NEW_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

it('activates an address once, shows its transaction, and then rejects it uncharged', async (person, world) => {
  await linkAccount(person);
  await person.tapAndRead('Activate address', '1.10 TRX');
  await person.say(`please this one: https://explorer.example/#/address/${NEW_ADDRESS}?lang=en`);
  const card = await person.reads('Review and confirm');
  expect(card.text).toContain(`🚀 Address activation\nTo: ${NEW_ADDRESS}`);
  expect(card.text).toContain('Price: about 1.10 TRX');
  expect(card.text).toContain("can't be undone.");
  const receipt = await person.confirm(card, 'Balance left: 998.90 TRX');
  expect(receipt.text).toMatch(/^✅ Activated\n/);
  expect(receipt.text).toMatch(/Transaction: [0-9a-f]{64}/);
  expect(receipt.text).toContain('Charged: 1.10 TRX');
  expect(dataOf(receipt, 'again')).toBe('');

  await person.say('/activate');
  await person.say(NEW_ADDRESS);
  await person.reads(`${NEW_ADDRESS} is already active.`, card);
  expect(world.countRequests(ACTIVATE)).toBe(1);
  await person.sayAndRead('Cancel', 'Cancelled. Nothing was charged.', card);
});
