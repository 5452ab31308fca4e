import { expect } from 'vitest';
import { journey as it } from '../support/journey.ts';
import { fillOrder, linkWithEvents } from '../support/steps.ts';
import { ADDRESS } from '../support/world.ts';

const BUY = 'POST /bandwidth/buy';

it('buys bandwidth at the documented price and notifies of its delivery', async (person, world) => {
  await linkWithEvents(person);
  await person.say('/start');
  await person.tapAndRead('Buy bandwidth', '600 bandwidth a day for free');
  await person.sayAndRead(ADDRESS, 'How much?');
  await person.sayAndRead('349', 'Send a whole number from 350 to 100,000');
  const hours = await person.sayAndRead('1,000', 'For how long?');
  expect(hours.keyboard?.flat().map(({ text }) => text)).toContain('24 hours · ≈ 9.80 TRX');
  await person.sayAndRead('a week', 'Send 1 to 720 hours');
  const card = await person.tapAndRead('24 hours', 'Review and confirm');
  expect(card.text).toContain(`📶 1,000 bandwidth · 24 h\nTo: ${ADDRESS}`);
  expect(card.text).toContain('Price: about 9.80 TRX');
  const receipt = await person.confirm(card, 'Balance left: 990.20 TRX');
  expect(receipt.text).toContain('Charged: 9.80 TRX');
  expect(world.countRequests(BUY)).toBe(1);
  await fillOrder(world);
  await person.shows(card, 'Status: delivered');
  await person.reads('Bought and delivered', card);
  const again = await person.tapAndRead('Buy again', 'Review and confirm', card);
  expect(again.text).toContain(`📶 1,000 bandwidth · 24 h\nTo: ${ADDRESS}`);
});
