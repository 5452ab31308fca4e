import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { startBotProcess } from '../support/bot-process.ts';
import { operationOf } from '../support/person.ts';
import { startRedis } from '../support/redis.ts';
import { linkAccount, toCard } from '../support/steps.ts';
import { HOLDER, inWorld } from '../support/world.ts';

test('stores times of the Redis clock if the machine’s clock is an hour ahead', async () => {
  const redis = await startRedis(['--appendfsync', 'always']);
  try {
    await inWorld({ redisUrl: redis.url, push: false, replicas: 0 }, async (world) => {
      const console = new Redis(redis.url);
      const bot = await startBotProcess(world, { clockAheadMs: 3_600_000 });
      try {
        const person = await linkAccount(world.person(HOLDER));
        const card = await toCard(person);
        const record = await console.get(`operation:{${HOLDER}}:${operationOf(card)}`);
        const createdAt = Number(/"createdAt":(\d+)/.exec(record ?? '')?.[1]);
        const [seconds] = await console.time();
        expect(Math.abs(createdAt - 1_000 * Number(seconds))).toBeLessThan(60_000);
        await person.confirm(card, 'Bought');
      } finally {
        await bot.kill();
        console.disconnect();
      }
    });
  } finally {
    await redis.stop();
  }
});
