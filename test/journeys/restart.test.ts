import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journeysWith } from '../support/journey.ts';
import { operationOf } from '../support/person.ts';
import { redisUrl } from '../support/redis.ts';
import { linkAccount, toCard } from '../support/steps.ts';
import { ADDRESS, HOLDER, inWorld } from '../support/world.ts';

const BUY = 'POST /energy/buy';

test('continues after a restart at every step', async () =>
  inWorld({ redisUrl: await redisUrl() }, async (world) => {
    const person = world.person(HOLDER);
    const steps: [does: () => Promise<unknown>, shows: string][] = [
      [() => person.say('/start'), 'Energy and bandwidth on TRON'],
      [() => person.tap('Link account'), 'Send your API key'],
      [() => person.say('demo-key'), 'Account linked'],
      [() => person.tap('Buy energy'), 'Which address'],
      [() => person.say('no address'), 'No TRON address found'],
      [() => person.say(ADDRESS), '65,000 energy · 1 h'],
      [() => person.tap('131,000'), '131,000 energy · 1 h'],
      [() => person.tap('24 hours'), '131,000 energy · 24 h'],
      [() => person.tap('Other amount'), 'How many USDT transfers'],
      [() => person.tap('Back'), '131,000 energy · 24 h'],
      [() => person.tap('Other amount'), 'How many USDT transfers'],
      [() => person.say('100000'), '100,000 energy · 24 h'],
      [() => person.say('1 hour'), '100,000 energy · 1 h'],
    ];
    for (const [does, shows] of steps) {
      await does();
      await person.reads(shows);
      await world.settled();
      await world.restart();
    }
    const card = await person.reads('Review and confirm');
    await person.tap('Confirm');
    await world.settled();
    await world.restart();
    const bought = await person.shows(card, 'Bought');
    await world.restart();
    expect(operationOf(bought)).toBe(operationOf(card));
    expect(world.countRequests(BUY)).toBe(1);
    expect((await world.rental()).orders).toMatchObject([{ energy_amount: 100_000, duration_hours: 1 }]);
    await person.sayAndRead('/start', 'Account 1001 · key …-key');
  }));

journeysWith({ onRedis: true })(
  'completes a running purchase and shows its outcome before it stops',
  async (person, world) => {
    await linkAccount(person);
    const card = await toCard(person);
    await world.fault(BUY, 'latency', { ms: 1_000 });
    await person.tap('Confirm');
    await eventually(() => expect(world.countRequests(BUY)).toBe(1));
    await world.stopApps();
    await person.shows(card, 'Bought');
    await world.startApps();
    await world.settled();
    expect(await world.countCallsWithText("isn't known")).toBe(0);
    expect(world.countRequests(BUY)).toBe(1);
  },
);

journeysWith({ onRedis: true })('sends a pending reply before it stops', async (person, world) => {
  await linkAccount(person);
  await world.settled();
  await world.fault('GET /prices', 'latency', { ms: 2_000 });
  await person.sayAndRead(`/buy ${ADDRESS} 20000`, 'How many USDT transfers');
  const answers = () => world.control<unknown[]>('GET', '/telegram/calls?method=answerCallbackQuery');
  const { length } = await answers();
  await person.tap('2 transfers · 130,000');
  await eventually(async () => expect((await answers()).length).toBeGreaterThan(length));
  await world.stopApps();
  expect((await person.messages()).at(-1)?.text).toContain('130,000 energy · 1 h');
  await world.settled();
  await world.startApps();
  await person.tapAndRead('24 hours', '130,000 energy · 24 h');
});
