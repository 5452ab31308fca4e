import * as prometheus from 'prom-client';
import { expect, test } from 'vitest';
import { compose, crowd, sendFile, toEverybody } from '../support/broadcasting.ts';
import { eventually } from '../support/eventually.ts';
import { journeysWith } from '../support/journey.ts';
import { samplesOf, sumOf } from '../support/metrics.ts';
import { redisUrl } from '../support/redis.ts';
import { linkWithEvents } from '../support/steps.ts';
import { ADMIN, GUEST, HOLDER, inWorld, type World } from '../support/world.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const CAPTION = '<b>Cheaper</b> from <i>Monday</i>, see <a href="https://example.com/">here</a>';

const measured = journeysWith({ appOptions: { prometheus } });

measured('delivers a photo with its formatting and its buttons', async (_person, world) => {
  const [admin, guest] = [world.person(ADMIN), world.person(GUEST)];
  await guest.sayAndRead('/start', 'Link your account');
  await admin.say('/broadcast');
  await admin.tapAndRead('New broadcast', 'Send or forward the message');
  await sendFile(world, ADMIN, 'photo', PIXEL, CAPTION);
  await admin.reads('Buttons below it?');
  await admin.say('Prices - https://example.com/prices\nMore - https://example.com/more');
  await admin.reads('Users get exactly the main message');
  await toEverybody(admin);
  await admin.tap('Send to');
  const got = await guest.until('the message', (shown) =>
    shown.find(({ from, html }) => from === 'bot' && html.includes('Monday')),
  );
  expect(got.html).toContain('<b>Cheaper</b> from <i>Monday</i>');
  expect(got.html).toContain('href="https://example.com/"');
  expect(got.keyboard?.flat().map(({ url, data }) => url ?? data)).toEqual([
    'https://example.com/prices',
    'https://example.com/more',
    expect.stringMatching(/^\+announcements:off~/),
  ]);
  const mine = (await admin.messages()).find(
    ({ from, html }) => from === 'person' && html.includes('Monday'),
  );
  expect(got.photo?.url).toBeTruthy();
  expect(got.photo?.url).toBe(mine?.photo?.url);
  await admin.reads('📣 Broadcast: done');
  const samples = await samplesOf(await world.metrics());
  expect(sumOf(samples, 'bot_broadcast_messages_total', { result: 'sent' })).toBe(2);
  expect(sumOf(samples, 'bot_broadcast_messages_total')).toBe(2);
  // Counted once the delivery of the result to the admin is recorded.
  await eventually(async () => {
    const later = await samplesOf(await world.metrics());
    expect(sumOf(later, 'bot_notification_delay_seconds_count')).toBe(1);
  });
});

const CROWD = 600;
const BLOCKED_EVERY = 50;

interface Pace {
  refused: { overall: number; chat: number };
  most_in_a_second: number;
}

test('reaches 600 users once despite a restart, without delaying notifications or replies', async () => {
  const url = await redisUrl();
  let world: World | undefined;
  let sent = 0;
  let amid: (() => void) | undefined;
  /** Advances the clock by this time instead of waiting. */
  async function wait(ms: number): Promise<void> {
    world?.sandbox.clock.advance(ms);
    sent += 1;
    if (sent === 150) amid?.();
    await new Promise(setImmediate);
  }
  await inWorld({ redisUrl: url, replicas: 2, appOptions: { wait } }, async (present) => {
    world = present;
    const [admin, holder] = [present.person(ADMIN), present.person(HOLDER)];
    await linkWithEvents(holder);
    const figures = await crowd(present, { first_id: 10_000, count: CROWD, blocked_every: BLOCKED_EVERY });
    await compose(admin, 'Cheaper from Monday on');
    await toEverybody(admin);
    const counted = await admin.reads('type the number of users');
    expect(counted.html).toContain('602');
    const middle = new Promise<void>((resolve) => {
      amid = resolve;
    });
    await admin.say('602');
    await middle;
    await present.control('POST', '/rental/accounts/1001/deposit', { amount: '12.50', confirm: true });
    await holder.reads('12.50 TRX');
    await holder.sayAndRead('/help', 'Common questions');
    const { reached } = await figures();
    expect(reached).toBeGreaterThan(0);
    expect(reached).toBeLessThan(CROWD - CROWD / BLOCKED_EVERY);
    await present.restart();
    await admin.reads('📣 Broadcast: done');
    const done = await figures();
    expect(done).toMatchObject({ missed_count: 0, more: [], messages: CROWD - CROWD / BLOCKED_EVERY });
    const pace = await present.control<Pace>('GET', '/telegram/pace');
    // The clock advances while four copies are in flight, so they may arrive with those of the next second.
    expect(pace.most_in_a_second).toBeLessThanOrEqual(34);
    await admin.reads('Blocked the bot: 12');
  });
});
