import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { compose, toEverybody } from '../support/broadcasting.ts';
import { redisUrl } from '../support/redis.ts';
import { linkWithEvents } from '../support/steps.ts';
import { ADMIN, GUEST, HOLDER, inWorld } from '../support/world.ts';

test('sends a message with buttons and an opt-out to all users', async () => {
  await inWorld({}, async (world) => {
    const [admin, guest] = [world.person(ADMIN), world.person(GUEST)];
    await guest.say('/start');
    await admin.say('/broadcast');
    await admin.tap('New broadcast');
    await admin.reads('Send me the message');
    await admin.say('Prices fall on Monday');
    await admin.reads('Which buttons');
    await admin.say('Prices - https://example.com/prices');
    await admin.reads('The message above is what people get');
    await admin.tap('Next');
    await admin.tap('A test to me alone');
    await admin.reads('The test is on its way');
    await admin.tap('Everybody');
    await admin.tap('Now');
    await admin.reads('Check before you send');
    await admin.tap('Send to');
    await admin.reads('It is being sent');
    await guest.reads('Prices fall on Monday');
    await guest.tap('No more news like this');
    await guest.reads('I send you no more news');
    await admin.reads('📣 Broadcast: done');
    await admin.say('/broadcast');
    await admin.tap('Show: ');
    const status = await admin.reads('This is the message that people get');
    const shown = (await admin.messages()).find(({ message_id }) => message_id === status.message_id - 1);
    expect(shown?.html).toContain('Prices fall on Monday');
    expect(shown?.keyboard?.flat()[0]?.url).toBe('https://example.com/prices');
  });
});

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
      await admin.tap('Send to');
      await admin.reads('Telegram asked to slow down');
      const keys = [...(await redis.keys('broadcast:*')), ...(await redis.keys('broadcast-audience:*'))];
      const old = await Promise.all(keys.map(async (key) => [key, (await redis.get(key)) ?? ''] as const));
      expect(old).toHaveLength(2);
      await world.advance(601);
      await guest.reads('Prices fall on Monday');
      await admin.reads('📣 Broadcast: done');
      await admin.reads('A broadcast to 2 is done');
      const id = keys[0]?.slice('broadcast:'.length) ?? '';
      for (let time = 0; time < 2; time += 1) {
        for (const [key, text] of old) await redis.set(key, text);
        await redis.set('broadcast-active', id);
        await expect.poll(() => redis.exists('broadcast-active'), { timeout: 20_000 }).toBe(0);
      }
      await admin.reads('An old record of a broadcast that had ended was put back.');
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

test('pauses a broadcast on a rate limit, but not notifications and replies', async () => {
  await inWorld({}, async (world) => {
    const [admin, guest, holder] = [world.person(ADMIN), world.person(GUEST), world.person(HOLDER)];
    await guest.say('/start');
    await linkWithEvents(holder);
    await compose(admin, 'Prices fall on Monday');
    await toEverybody(admin);
    await world.telegramFault('copyMessage', 'rate-limit', { retry_after: 600 });
    await admin.tap('Send to');
    await admin.reads('Telegram asked to slow down');
    await world.control('POST', '/rental/accounts/1001/deposit', { amount: '12.50', confirm: true });
    await holder.reads('12.5 TRX was credited');
    await guest.say('/help');
    await guest.reads('What people ask');
    expect(await world.told('Prices fall on Monday')).toBe(0);
    expect((await guest.messages()).some(({ html }) => html.includes('Prices fall'))).toBe(false);
    await world.advance(601);
    await guest.reads('Prices fall on Monday');
  });
});
