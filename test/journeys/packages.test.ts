import { expect } from 'vitest';
import { journey as it, journeysWith } from '../support/journey.ts';
import { findButton } from '../support/person.ts';
import { linkAccount } from '../support/steps.ts';
import { GUEST } from '../support/world.ts';

const TIERS = 'GET /transfer-packages/tiers';
const SITE = 'https://rental.example/account';

journeysWith({ config: { accountUrl: SITE } })(
  'lists the packages with their price per transfer, and links to the seller',
  async (person) => {
    await linkAccount(person);
    await person.tap('More');
    await person.tap('Packages');
    const { text, keyboard } = await person.reads('Packages of transfers');
    expect(text?.split('\n').filter((line) => line.startsWith('•'))).toEqual([
      '• 10 transfers: 23.50 TRX, 2.35 TRX each',
      '• 50 transfers: 115.00 TRX, 2.30 TRX each',
      '• 100 transfers: 225.00 TRX, 2.25 TRX each',
      '• 500 transfers: 1075.00 TRX, 2.15 TRX each',
      '• 1,000 transfers: 2050.00 TRX, 2.05 TRX each',
    ]);
    expect(text).toMatch(
      /One transfer by itself: 2\.40 TRX\nBandwidth guarantee: 0\.30? TRX for each transfer/,
    );
    expect(text).toContain('Packages are sold by the rental service itself');
    expect(keyboard?.flat().find(({ url }) => url !== undefined)?.url).toBe(SITE);
  },
);

it('calculates the price of any size, and asks again after an invalid size', async (person, world) => {
  await linkAccount(person);
  const { message_id = 0 } = await person.say('/packages');
  const list = await person.reads('Packages of transfers', { message_id });
  await person.tap('Another size');
  let last = await person.shows(list, 'Write a whole number from 1 to 10,000');
  for (const wrong of ['many', '0', '10001', '2.5', '-3', '25 transfers', '1'.repeat(200)]) {
    const said = await person.say(wrong);
    last = await person.reads('Write a whole number of transfers from 1 to 10,000, like 25.', {
      message_id: said.message_id ?? 0,
    });
  }
  const worked = await person.sayAndRead('75', '📦 75 transfers', last);
  expect(worked.text).toContain('About 172.50 TRX, if each costs 2.30 TRX as in the package of 50');
  expect(worked.text).toContain('One by one: 180.00 TRX (2.40 TRX each)');
  expect(worked.text).toMatch(/Bandwidth guarantee, if wanted: 22\.50 TRX/);
  expect(worked.text).toContain('it names it as you buy');

  for (const [size, says] of [
    ['1', 'One by one: 2.40 TRX'],
    ['500', 'Price of this size: 1075.00 TRX'],
    ['10 000', 'About 20500.00 TRX'],
  ] as const) {
    const { message_id: at = 0 } = await person.tap('Another size');
    const reply = await person.shows({ message_id: at }, 'How many transfers?');
    const result = await person.sayAndRead(size, says, reply);
    expect(result.text).toContain('none can be bought here');
  }
  await person.tapAndRead('Packages', '• 10 transfers');
  expect((await world.rental()).ledger).toEqual([]);
});

it('returns to the list on Back and ends on Cancel', async (person) => {
  await linkAccount(person);
  const list = await person.ask('/packages', 'Packages of transfers');
  await person.tapToShow('Another size', list, 'How many transfers?');
  await person.tapAndRead('Back', '• 10 transfers');
  await person.tapAndRead('Another size', 'How many transfers?');
  await person.tapAndRead('Cancel', 'Stopped. Nothing was done.');
});

it('explains a failed read, and repeats it on Try again', async (person, world) => {
  await linkAccount(person);
  await world.fault(TIERS, 'error-before', { times: 3, status: 503 });
  const failed = await person.ask('/packages', "The rental service doesn't answer right now");
  await person.tapToShow('Try again', failed, '• 10 transfers');
  await person.tapToShow('Another size', failed, 'How many transfers?');
  await world.fault(TIERS, 'garbage');
  const unread = await person.sayAndRead('75', 'Unexpected reply from the service', failed);
  await person.tapToShow('Try again', unread, '📦 75 transfers');
});

journeysWith({ config: { rentalApiKey: 'operator-key' } })(
  'explains how to link an account if there is none',
  async (_person, world) => {
    const person = world.person(GUEST);
    const needed = await person.sayAndRead('/packages', 'For this you need an account');
    expect(findButton([needed], 'Link account')).toBeDefined();
    expect(world.countRequests(TIERS)).toBe(0);
  },
);
