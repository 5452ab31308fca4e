import { expect, test } from 'vitest';
import { compose, crowd, toEverybody } from '../support/broadcasting.ts';
import { redisUrl } from '../support/redis.ts';
import { linkWithEvents } from '../support/steps.ts';
import { ADMIN, HOLDER, inWorld, type World } from '../support/world.ts';

const CROWD = 2_000;
const BLOCKED_EVERY = 50;

interface Pace {
  refused: { overall: number; chat: number };
  most_in_a_second: number;
}

test('reaches two thousand users once despite a restart, without delaying notifications or replies', async () => {
  const url = await redisUrl();
  let world: World | undefined;
  let sent = 0;
  let amid: (() => void) | undefined;
  /** Advances the clock by this time instead of waiting. */
  async function wait(ms: number): Promise<void> {
    world?.sandbox.clock.advance(ms);
    sent += 1;
    if (sent === 500) amid?.();
    await new Promise(setImmediate);
  }
  await inWorld({ redisUrl: url, replicas: 2, appOptions: { wait } }, async (present) => {
    world = present;
    const [admin, holder] = [present.person(ADMIN), present.person(HOLDER)];
    await linkWithEvents(holder);
    const figures = await crowd(present, { first_id: 10_000, count: CROWD, blocked_every: BLOCKED_EVERY });
    await compose(admin, 'Cheaper from Monday on');
    await toEverybody(admin);
    const counted = await admin.reads('write the number of people');
    expect(counted.html).toContain('2,002');
    const middle = new Promise<void>((resolve) => {
      amid = resolve;
    });
    await admin.say('2002');
    await middle;
    await present.control('POST', '/rental/accounts/1001/deposit', { amount: '12.50', confirm: true });
    await holder.reads('12.5 TRX');
    await holder.say('/help');
    await holder.reads('What people ask');
    const { reached } = await figures();
    expect(reached).toBeGreaterThan(0);
    expect(reached).toBeLessThan(CROWD - CROWD / BLOCKED_EVERY);
    await present.restart();
    await admin.reads('📣 Broadcast: done');
    const done = await figures();
    expect(done).toMatchObject({ missed_count: 0, more: [], messages: CROWD - CROWD / BLOCKED_EVERY });
    const pace = await present.control<Pace>('GET', '/telegram/pace');
    expect(pace.most_in_a_second).toBeLessThanOrEqual(30);
    await admin.reads('Have blocked the bot: 40');
  });
});
