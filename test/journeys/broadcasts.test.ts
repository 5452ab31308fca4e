import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { compose, crowd, sendFile, toEverybody } from '../support/broadcasting.ts';
import { journey as it } from '../support/journey.ts';
import type { ShownMessage } from '../support/person.ts';
import { redisUrl } from '../support/redis.ts';
import { linkWithEvents } from '../support/steps.ts';
import { ADMIN, GUEST, HOLDER, inWorld, type World } from '../support/world.ts';

test('sends nothing when an old broadcast record is restored, and notifies admins once', async () => {
  const url = await redisUrl();
  const redis = new Redis(url);
  try {
    await inWorld({ redisUrl: url }, async (world) => {
      const [admin, guest] = [world.person(ADMIN), world.person(GUEST)];
      await guest.say('/start');
      await compose(admin, 'Prices fall on Monday');
      await toEverybody(admin);
      await world.telegramFault('copyMessage', 'rate-limit', { retry_after: 600 });
      await admin.tapAndRead('Send to', 'Slowed down by Telegram');
      const keys = [...(await redis.keys('broadcast:*')), ...(await redis.keys('broadcast-audience:*'))];
      const old = await Promise.all(keys.map(async (key) => [key, (await redis.get(key)) ?? ''] as const));
      expect(old).toHaveLength(2);
      await world.advance(601);
      await guest.reads('Prices fall on Monday');
      await admin.reads('📣 Broadcast: done');
      await admin.reads('Broadcast to 2 done');
      const id = keys[0]?.slice('broadcast:'.length) ?? '';
      for (let time = 0; time < 2; time += 1) {
        for (const [key, text] of old) await redis.set(key, text);
        await redis.set('broadcast-active', id);
        await expect.poll(() => redis.exists('broadcast-active'), { timeout: 60_000 }).toBe(0);
      }
      await admin.reads('An old record of an ended broadcast was put back.');
      await world.settled();
      const count = (shown: { html: string }[], part: string) =>
        shown.filter(({ html }) => html.includes(part)).length;
      expect(count(await guest.messages(), 'Prices fall on Monday')).toBe(1);
      expect(count(await admin.messages(), 'was put back')).toBe(1);
    });
  } finally {
    await redis.quit();
  }
});

it('pauses a broadcast on a rate limit, but not notifications and replies', async (_person, world) => {
  const [admin, guest, holder] = [world.person(ADMIN), world.person(GUEST), world.person(HOLDER)];
  await guest.say('/start');
  await linkWithEvents(holder);
  await compose(admin, 'Prices fall on Monday');
  await toEverybody(admin);
  await world.telegramFault('copyMessage', 'rate-limit', { retry_after: 600 });
  await admin.tapAndRead('Send to', 'Slowed down by Telegram');
  await world.control('POST', '/rental/accounts/1001/deposit', { amount: '12.50', confirm: true });
  await holder.reads('12.50 TRX credited');
  await guest.sayAndRead('/help', 'Common questions');
  expect(await world.countCallsWithText('Prices fall on Monday')).toBe(0);
  expect((await guest.messages()).some(({ html }) => html.includes('Prices fall'))).toBe(false);
  await world.advance(601);
  await guest.reads('Prices fall on Monday');
});

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const CAPTION = '<b>Cheaper</b> from <i>Monday</i>, see <a href="https://example.com/">here</a>';

type Made = (world: World) => Promise<unknown>;
const KINDS: [string, Made, (shown: ShownMessage & Record<string, unknown>) => unknown][] = [
  [
    'a text',
    ({ control }) => control('POST', `/telegram/chats/${ADMIN}/messages`, { html: CAPTION }),
    (shown) => shown.text,
  ],
  ['a photo', (world) => sendFile(world, ADMIN, 'photo', PIXEL, CAPTION), (shown) => shown.photo?.url],
  [
    'a video',
    (world) => sendFile(world, ADMIN, 'video', Buffer.from('a video'), CAPTION),
    (shown) => (shown.video as { url: string } | undefined)?.url,
  ],
  [
    'a document',
    (world) => sendFile(world, ADMIN, 'document', Buffer.from('a document'), CAPTION),
    (shown) => shown.document?.url,
  ],
];

test.concurrent.each(KINDS)('delivers %s with its formatting, its file and its buttons', (_, made, fileOf) =>
  inWorld({}, async (world) => {
    const [admin, guest] = [world.person(ADMIN), world.person(GUEST)];
    await guest.sayAndRead('/start', 'Link your account');
    await admin.say('/broadcast');
    await admin.tapAndRead('New broadcast', 'Send or forward the default message');
    await made(world);
    await admin.reads('Buttons below it?');
    await admin.say('Prices - https://example.com/prices\nMore - https://example.com/more');
    await admin.reads('Users get exactly this message');
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
    expect(fileOf(got as never)).toBe(fileOf((mine ?? {}) as never));
    expect(fileOf(got as never)).toBeTruthy();
  }),
);

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
    const counted = await admin.reads('type the number of people');
    expect(counted.html).toContain('2,002');
    const middle = new Promise<void>((resolve) => {
      amid = resolve;
    });
    await admin.say('2002');
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
    await admin.reads('Blocked the bot: 40');
  });
});
