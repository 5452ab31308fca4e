import { expect } from 'vitest';
import { journey as it } from '../support/journey.ts';
import { fillOrder, linkWithEvents } from '../support/steps.ts';
import { ADDRESS } from '../support/world.ts';

const BUY = 'POST /bandwidth/buy';

it('buys bandwidth at the documented price and notifies of its delivery', async (person, world) => {
  await linkWithEvents(person);
  await person.say('/start');
  await person.tapAndRead('Bandwidth', 'An address has 600 a day for free');
  await person.sayAndRead(ADDRESS, 'How much?');
  await person.sayAndRead('349', 'Write a whole number from 350 to 100,000');
  const hours = await person.sayAndRead('1,000', 'For how long?');
  expect(hours.keyboard?.flat().map(({ text }) => text)).toContain('24 hours · ≈ 9.80 TRX');
  await person.sayAndRead('a week', 'Write a whole number of hours from 1 to 720');
  const card = await person.tapAndRead('24 hours', 'Check before you confirm');
  expect(card.text).toContain(`📶 1,000 bandwidth · 24 hours\nTo: ${ADDRESS}\n\nPrice: about 9.80 TRX`);
  const receipt = await person.confirm(card, 'Balance left: 990.20 TRX');
  expect(receipt.text).toContain('Charged: 9.80 TRX');
  expect(world.countRequests(BUY)).toBe(1);
  await fillOrder(world);
  await person.shows(card, 'Status: filled');
  await person.reads('Bought and delivered', card);
  const again = await person.tapAndRead('Buy again', 'Check before you confirm', card);
  expect(again.text).toContain(`📶 1,000 bandwidth · 24 hours\nTo: ${ADDRESS}`);
});
