import { expect, test } from 'vitest';
import { demoSeed } from '../../src/sandbox/rental/state.ts';
import { journey as it, journeysWith } from '../support/journey.ts';
import { findButton, type ShownMessage } from '../support/person.ts';
import { linkAccount } from '../support/steps.ts';
import { GUEST, HOLDER, inWorld } from '../support/world.ts';

const PRICES = 'GET /prices';
const UNKNOWN = "I can't read the energy prices right now";
const OPERATED = { config: { rentalApiKey: 'operator-key' } };

/** Energy prices of the sandbox, with the TRX that the transfers would burn without energy. */
const ENERGY = [
  '⚡ 65,000 energy, for one USDT transfer to somebody who holds USDT already:',
  '• 1 hour: 2.32 TRX',
  '• 24 hours: 4.23 TRX',
  '🔥 Without energy it burns about 6.50 TRX.',
  '',
  '⚡ 131,000 energy, for one USDT transfer to somebody who holds none yet:',
  '• 1 hour: 4.67 TRX',
  '• 24 hours: 8.52 TRX',
  '🔥 Without energy it burns about 13.10 TRX.',
].join('\n');
const OTHERS = [
  '📶 350 bandwidth, enough for one USDT transfer: 0.34 TRX for 1 hour',
  '🚀 Activating an address: 1.10 TRX',
].join('\n');

const labelsOf = ({ keyboard = [] }: ShownMessage) => keyboard.flat().map(({ text }) => text);

journeysWith(OPERATED)(
  'shows a holder all prices, and the cost of a transfer without energy',
  async (person) => {
    await linkAccount(person);
    await person.tap('Balance');
    const shown = await person.tapAndRead('Prices', 'What it costs right now');
    expect(shown.text).toContain(`${ENERGY}\n\n${OTHERS}`);
    expect(labelsOf(shown)).toEqual(['⚡ Buy energy', '☰ Menu']);
    await person.tapAndRead('Buy energy', 'Which address');
  },
);

journeysWith(OPERATED)(
  'shows a guest the same prices with the operator’s key, and offers a purchase',
  async (_person, world) => {
    const person = world.person(GUEST);
    await person.say('/start');
    const shown = await person.tapAndRead('Prices', 'What it costs right now');
    expect(shown.text).toContain(`${ENERGY}\n\n${OTHERS}`);
    expect(shown.text).toContain('You can buy energy without an account, by an invoice');
    expect(labelsOf(shown)).toEqual(['⚡ Buy energy', '🔑 Link account', '☰ Menu']);
    await person.tapAndRead('Buy energy', 'Buy energy · 1 of 3');
  },
);

it('shows a guest only fixed prices if there is no operator key, until an account is linked', async (_person, world) => {
  const person = world.person(GUEST);
  const { message_id = 0 } = await person.say('/prices');
  const shown = await person.reads('What it costs right now', { message_id });
  expect(shown.text).toContain(OTHERS);
  expect(shown.text).toContain('Link an account, and I can read the energy prices for you');
  expect(shown.text).not.toMatch(/• |burns/);
  expect(labelsOf(shown)).toEqual(['🔑 Link account', '☰ Menu']);
  expect(world.countRequests(PRICES)).toBe(0);
  await linkAccount(person);
  const { message_id: at = 0 } = await person.say('/prices');
  expect((await person.reads('What it costs right now', { message_id: at })).text).toContain(ENERGY);
});

test.concurrent.each([
  ['a holder', HOLDER],
  ['a guest', GUEST],
])('shows %s the fixed prices while the service fails, and the rest on Try again', (_, who) =>
  inWorld(OPERATED, async (world) => {
    const person = world.person(who);
    if (who === HOLDER) await linkAccount(person);
    for (const [kind, more] of [
      ['error-before', { times: 3, status: 503 }],
      ['cut-before', { times: 3 }],
      ['garbage', { times: 1 }],
      ['rate-limit', { times: 1 }],
    ] as const) {
      await world.fault(PRICES, kind, more);
      const failed = await person.ask('/prices', UNKNOWN);
      expect(failed.text, kind).toContain(OTHERS);
      expect(findButton([failed], 'Try again'), kind).toBeDefined();
      // After a rate limit, the bot waits as long as the service requires.
      await world.advance(60);
      await person.tapData(failed.message_id, 'prices:open');
      const shown = await person.shows(failed, '2.32 TRX');
      expect(shown.text).toContain(ENERGY);
      expect(findButton([shown], 'Try again')).toBeUndefined();
    }
  }),
);

test.concurrent('tells a holder that the key was rejected, and how to link a new one', () => {
  const seed = demoSeed();
  return inWorld({ seed }, async (world) => {
    const person = await linkAccount(world.person(HOLDER));
    for (const account of seed.accounts) account.key = `replaced ${account.key}`;
    world.sandbox.rental.reset();
    const refused = await person.sayAndRead('/prices', 'The rental service no longer accepts your key …-key');
    expect(labelsOf(refused)).toEqual(['🔑 Link account', '☰ Menu']);
  });
});
