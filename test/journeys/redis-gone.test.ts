import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { atMost } from '../support/at-most.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { eventually } from '../support/eventually.ts';
import { operationOf } from '../support/person.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { buyEnergy, dataOf, linkAccount, toCard } from '../support/steps.ts';
import { ADMIN, HOLDER, inWorld, type World, type WorldOptions } from '../support/world.ts';

const BUY = 'POST /energy/buy';

/** More bots at once would exceed their time limit for Redis on a busy machine. */
const inTurn = atMost(2);

/** Runs a journey on a separate Redis that was started with these settings. */
function withRedis(
  journey: (world: World, redis: RedisServer) => Promise<void>,
  { settings, ...options }: WorldOptions & { settings?: string[] } = {},
): Promise<void> {
  return inTurn(async () => {
    const redis = await startRedis(settings);
    try {
      await inWorld({ redisUrl: redis.url, ...options }, (world) => journey(world, redis));
    } finally {
      await redis.stop();
    }
  });
}

const UNCLEAR = 'Result unknown. Check the card in a minute';
const GONE = 'Something went wrong. Nothing was charged.';

/** Restarts Redis and waits until the app has reconnected. An earlier tap would fail again. */
async function comesBack(world: World, redis: RedisServer): Promise<void> {
  await redis.restart();
  await eventually(() => expect(world.log.join()).toContain('Redis is back'));
}

test.concurrent('unavailable before Confirm: sends nothing, tells the user, and shows the void card again', () =>
  withRedis(async (world, redis) => {
    const person = await linkAccount(world.person(HOLDER));
    const card = await toCard(person);
    await world.settled();
    await redis.kill();
    await person.tapAndRead('Confirm', UNCLEAR);
    await world.settled();
    await comesBack(world, redis);
    expect(await person.shows(card, 'Review and confirm')).toEqual(card);
    expect(world.countRequests(BUY)).toBe(0);
    await person.tap('Confirm');
    await person.shows(card, 'This card may already have been used');
    const again = await person.tapAndRead('↻ Show card again', 'Review and confirm', card);
    expect(again.text).toContain(`Your earlier card ${operationOf(card)} may already have been used`);
    await person.confirm(again, 'Bought');
    expect(world.countRequests(BUY)).toBe(1);
  }));

/** Sets a memory limit that blocks all writes to Redis, or removes it. */
async function setFull(redis: RedisServer, isFull: boolean): Promise<void> {
  const admin = new Redis(redis.url);
  await admin.config('SET', 'maxmemory', isFull ? '1' : '0');
  admin.disconnect();
}

test.concurrent('full: replies to Confirm and commands, executes nothing later, and recovers', () =>
  withRedis(async (world, redis) => {
    const person = await linkAccount(world.person(HOLDER));
    const card = await toCard(person);
    await world.settled();
    await setFull(redis, true);
    await person.tapAndRead('Confirm', UNCLEAR);
    for (const command of ['/buy', '/start']) {
      await person.ask(command, GONE);
    }
    await setFull(redis, false);
    await world.settled();
    expect(await person.shows(card, 'Review and confirm')).toEqual(card);
    expect(world.countRequests(BUY)).toBe(0);
    await person.tapData(card.message_id, dataOf(card, 'Confirm'));
    await person.shows(card, 'Bought');
    expect(world.countRequests(BUY)).toBe(1);
  }));

test.concurrent('forbidding commands: takes the replica out of service and alerts admins, until they are permitted', () =>
  withRedis(async (world, redis) => {
    const admin = new Redis(redis.url);
    const reader = world.person(ADMIN);
    await reader.say('/start');
    await world.settled();
    const status = async () => (await fetch(`${world.origin}/readyz`)).status;
    await admin.acl('SETUSER', 'default', '-eval', '-evalsha');
    await eventually(async () => expect(await status()).toBe(503));
    expect(world.log.join()).toMatch(/Give this user.*lacks permission for commands \(EVAL, EVALSHA\)/);
    await reader.reads("⛔ The bot's user at Redis lacks permission for commands");
    await admin.acl('SETUSER', 'default', '+@all');
    admin.disconnect();
    await eventually(async () => expect(await status()).toBe(200));
    await world.person(HOLDER).ask('/start', 'Link your account');
    await reader.reads('A problem is over');
    expect(await world.countCallsWithText('lacks permission for commands')).toBe(2);
  }));

test.concurrent('takes no money at Confirm if Redis became unsafe after the card was shown', () =>
  withRedis(async (world, redis) => {
    const person = await linkAccount(world.person(HOLDER));
    await toCard(person);
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await world.advance(61);
    await person.tapAndRead('Confirm', 'Payments and withdrawals are paused');
    expect(world.countRequests(BUY)).toBe(0);
    await client.quit();
  }));

test.concurrent('emptied: notifies admins once, and takes no money for some minutes', () =>
  withRedis(
    async (world, redis) => {
      const person = world.person(HOLDER);
      const admin = world.person(ADMIN);
      await linkAccount(person);
      await admin.say('/start');
      await world.settled();
      const client = new Redis(redis.url);
      await client.flushall();
      await linkAccount(person);
      await person.sayAndRead('/buy', 'Payments and withdrawals are paused');
      await admin.reads('Redis lost data');
      const checks = async () => Number(await client.hget('continuity', 'count'));
      const before = await checks();
      // Each replica checks every two seconds, so both know the epoch then.
      await eventually(async () => expect(await checks()).toBeGreaterThan(before + 6));
      await client.hincrby('continuity', 'since', -5 * 60_000);
      await buyEnergy(person, 'Bought');
      // The message about its end quotes it, in italics.
      expect(await world.countCallsWithText('<b>Redis lost data')).toBe(1);
      await client.quit();
    },
    { replicas: 2 },
  ));

test.concurrent('unavailable during a purchase: the process survives and completes the purchase', () =>
  withRedis(
    async (world, redis) => {
      const bot = await startBotProcess(world);
      try {
        const person = await linkAccount(world.person(HOLDER));
        const card = await toCard(person);
        const requestsBefore = world.countRequests('GET /account/profile');
        await world.fault('GET /account/profile', 'latency', { ms: 4_000 });
        await world.telegramFault('editMessageText', 'latency', { ms: 1_500 });
        await person.tap('Confirm');
        await eventually(() => expect(world.countRequests('GET /account/profile')).toBe(requestsBefore + 1));
        await redis.kill();
        await person.shows(card, 'Buying');
        // Two replies in a row take long enough for everything that started earlier to time out.
        for (const times of [1, 2]) {
          await person.say('/start');
          await eventually(async () => expect(await world.countCallsWithText(GONE)).toBe(times));
        }
        expect(bot.ended()).toBeUndefined();
        await redis.restart();
        await person.shows(card, 'Bought');
        expect(world.countRequests(BUY)).toBe(1);
      } finally {
        await bot.kill();
      }
    },
    { push: false, replicas: 0 },
  ));
