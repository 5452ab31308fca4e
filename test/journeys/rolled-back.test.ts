import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { type BotProcess, startBotProcess } from '../support/bot-process.ts';
import { eventually } from '../support/eventually.ts';
import { journey as it } from '../support/journey.ts';
import type { ShownMessage } from '../support/person.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { dataOf, linkAccount, operationOf, toCard } from '../support/steps.ts';
import { ADMIN, HOLDER, inWorld, type World } from '../support/world.ts';

const BUY = 'POST /energy/buy';
const TEST_MS = 300_000;

interface Journey {
  world: World;
  redis: RedisServer;
  console: Redis;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Runs a journey with a bot process and a Redis server that can be killed and restarted separately. */
async function withServers(journey: (with_: Journey) => Promise<void>): Promise<void> {
  const redis = await startRedis(['--appendfsync', 'always']);
  try {
    await inWorld({ redisUrl: redis.url, push: false, replicas: 0 }, async (world) => {
      const console = new Redis(redis.url, { maxRetriesPerRequest: null });
      console.on('error', () => undefined);
      let bot: BotProcess | undefined;
      const start = async () => {
        bot = await startBotProcess(world);
      };
      const kill = async () => bot?.kill();
      await start();
      try {
        await journey({ world, redis, console, kill, start });
      } finally {
        await kill();
        console.disconnect();
      }
    });
  } finally {
    await redis.stop();
  }
}

/** Confirms a card and waits for the purchase. Returns a function that taps the same button again. */
async function buy(world: World, card: ShownMessage): Promise<() => Promise<unknown>> {
  const person = world.person(HOLDER);
  const confirm = dataOf(card, 'Confirm');
  await person.confirm(card, 'Bought');
  return () => person.tapData(card.message_id, confirm);
}

/** Waits until the bot has committed all updates, including the update that showed this card. */
async function committed({ world, console }: Journey, card?: ShownMessage): Promise<void> {
  await world.settled();
  await eventually(async () => {
    expect(await console.keys('update:*')).toEqual([]);
    if (card) expect(await console.hget(`chat:{${HOLDER}}`, 'session')).toContain(operationOf(card));
  });
}

async function restore({ redis, kill, start }: Journey, putBack: () => Promise<void>): Promise<void> {
  await Promise.all([kill(), redis.kill()]);
  await putBack();
  await redis.restart();
  await start();
}

test.concurrent(
  'an older copy of Redis: voids the card of a later purchase, and notifies admins',
  () =>
    withServers(async (journey) => {
      const { world, redis } = journey;
      const [person, admin] = [world.person(HOLDER), world.person(ADMIN)];
      await admin.sayAndRead('/start', 'energy');
      await linkAccount(person);
      const card = await toCard(person);
      await committed(journey, card);
      const putBack = await redis.copyData();
      const tapAgain = await buy(world, card);

      await restore(journey, putBack);
      await tapAgain();
      await person.shows(
        card,
        'This card may already have been used. Check your balance and history at the service.',
      );
      await admin.reads('no bot process kept running');
      expect(world.countRequests(BUY)).toBe(1);
      expect((await world.rental()).orders).toHaveLength(1);

      const next = await toCard(person);
      await buy(world, next);
      expect(world.countRequests(BUY)).toBe(2);
    }),
  TEST_MS,
);

test.concurrent(
  'an older copy without the card: a tap says that the card may have been used',
  () =>
    withServers(async (journey) => {
      const { world, redis } = journey;
      const person = await linkAccount(world.person(HOLDER));
      await committed(journey);
      const putBack = await redis.copyData();
      const card = await toCard(person);
      await world.telegramFault('editMessageText', 'error', { times: 1_000 });
      await person.tap('Confirm');
      await eventually(async () => expect((await world.rental()).orders).toHaveLength(1));

      await restore(journey, async () => {
        // Not removed before the kill, or the bot would show the receipt, which has no Confirm button.
        await world.control('DELETE', '/telegram/faults');
        await putBack();
      });
      await person.tapData(card.message_id, dataOf(card, 'Confirm'));
      const shown = await person.shows(card, 'This card is too old to use. If you confirmed it');
      expect(shown.text).toContain(`Operation ${operationOf(card)}`);
      expect(world.countRequests(BUY)).toBe(1);
    }),
  TEST_MS,
);

test.concurrent(
  'a restart of Redis alone, without a loss: voids the open card, and notifies no admin',
  () =>
    withServers(async ({ world, redis, console }) => {
      const [person, admin] = [world.person(HOLDER), world.person(ADMIN)];
      await admin.sayAndRead('/start', 'energy');
      await linkAccount(person);
      const card = await toCard(person);
      await world.settled();
      await redis.kill();
      await redis.restart();
      await person.tap('Confirm');
      await person.shows(card, 'This card may already have been used');
      await buy(world, await toCard(person));
      expect(world.countRequests(BUY)).toBe(1);
      // A restart that no process survived is reported after ten seconds.
      await console.hincrby('continuity', 'since', -60_000);
      const checks = async () => Number(await console.hget('continuity', 'count'));
      const before = await checks();
      await eventually(async () => expect(await checks()).toBeGreaterThan(before + 2));
      expect(await world.countCallsWithText('Redis')).toBe(0);
    }),
  TEST_MS,
);

test.concurrent(
  'another process does not send a restored claim without its marks',
  () =>
    withServers(async ({ world, console, kill, start }) => {
      const person = await linkAccount(world.person(HOLDER));
      const card = await toCard(person);
      await world.settled();
      const id = operationOf(card);
      const key = `operation:{${HOLDER}}:${id}`;
      const read = async () => (await console.get(key)) ?? '';
      await world.fault('GET /account/profile', 'latency', { ms: 1_000 });
      await person.tap('Confirm');
      await eventually(async () => expect(await read()).toContain('"state":"claimed"'));
      const claimed = await read();
      await person.shows(card, 'Bought');

      await kill();
      await console.set(key, claimed);
      for (const prefix of ['attempt', 'heartbeat', 'cooldown', 'withdrawn', 'target-lock'])
        for (const mark of await console.keys(`${prefix}:*`)) await console.del(mark);
      await console.zadd('operations:due', 0, `${HOLDER}/${id}`);
      const job = JSON.stringify(JSON.stringify({ user: HOLDER, id }));
      const queue = 'advance-operation';
      await console.hset(`{rental-bot}:${queue}:1`, {
        name: queue,
        data: job,
        opts: '{}',
        timestamp: 0,
        delay: 0,
        priority: 0,
      });
      await console.lpush(`{rental-bot}:${queue}:wait`, '1');
      await start();
      await eventually(async () => expect(await read()).not.toContain('"state":"claimed"'));
      await world.settled();
      expect(world.countRequests(BUY)).toBe(1);
      expect((await world.rental()).orders).toHaveLength(1);
    }),
  TEST_MS,
);

test.concurrent(
  'stores times of the Redis clock if the machine’s clock is an hour ahead',
  () =>
    withServers(async ({ world, console, kill }) => {
      await kill();
      const bot = await startBotProcess(world, { clockAheadMs: 3_600_000 });
      try {
        const person = await linkAccount(world.person(HOLDER));
        const card = await toCard(person);
        const record = await console.get(`operation:{${HOLDER}}:${operationOf(card)}`);
        const createdAt = Number(/"createdAt":(\d+)/.exec(record ?? '')?.[1]);
        const [seconds] = await console.time();
        expect(Math.abs(createdAt - 1_000 * Number(seconds))).toBeLessThan(60_000);
        await buy(world, card);
      } finally {
        await bot.kill();
      }
    }),
  TEST_MS,
);

it('sends five confirmed purchases of an account on stop, and rejects a sixth', async (person, world) => {
  await linkAccount(person);
  const cards: ShownMessage[] = [];
  // Longer than it takes to confirm six cards on a busy machine.
  await world.fault(BUY, 'latency', { ms: 15_000, times: 10 });
  for (let count = 0; count < 6; count += 1) {
    const card = await toCard(person);
    await person.tapData(card.message_id, dataOf(card, 'Confirm') || dataOf(card, 'Buy anyway'));
    await person.shows(card, 'Buying');
    cards.push(card);
  }
  await world.stopApps();
  const shown = await Promise.all(cards.map((card) => person.shows(card, operationOf(card))));
  const texts = shown.map(({ text }) => text ?? '');
  expect(texts.filter((text) => text.includes('Bought'))).toHaveLength(5);
  expect(texts.filter((text) => text.includes("The request wasn't sent."))).toHaveLength(1);
  expect((await world.rental()).orders).toHaveLength(5);
});
