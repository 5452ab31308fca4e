import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { type BotProcess, startBotProcess } from '../support/bot-process.ts';
import { eventually } from '../support/eventually.ts';
import { operationOf, type ShownMessage } from '../support/person.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { dataOf, linkAccount, toCard } from '../support/steps.ts';
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
