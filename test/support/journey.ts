import { Redis } from 'ioredis';
import { test } from 'vitest';
import { atMost } from './at-most.ts';
import { startBotProcess } from './bot-process.ts';
import type { Person } from './person.ts';
import { redisUrl } from './redis.ts';
import { HOLDER, inWorld, type World, type WorldOptions } from './world.ts';

type Run = (person: Person, world: World) => Promise<void>;

/**
 * Returns a function that defines a concurrent test in a new world with these options. `person` is a user who
 * hasn't written to the bot yet. `onRedis`: stores state in an empty Redis database.
 */
export function journeysWith({ onRedis, ...options }: WorldOptions & { onRedis?: boolean }) {
  return (name: string, run: Run, timeoutMs?: number): void => {
    const start = async () => {
      const redis = onRedis ? { redisUrl: await redisUrl() } : {};
      await inWorld({ ...options, ...redis }, (world) => run(world.person(HOLDER), world));
    };
    test.concurrent(name, start, timeoutMs);
  };
}

export const journey = journeysWith({});

/** The bot of a world, in a separate process. */
export interface KillableBot {
  /** Client of the bot's database. */
  redis: Redis;
  /** Kills the process without a shutdown. */
  kill(): Promise<void>;
  /** Removes all faults and starts the bot again. */
  revive(): Promise<void>;
}

/** More bots that start at once would be too slow for the time limits of Redis and of each other. */
const inTurn = atMost(4);

type KillableRun = (person: Person, world: World, bot: KillableBot) => Promise<void>;

/** Like `journeysWith`, with the bot in a separate process on Redis. Calls `finish` when a journey has succeeded. */
export function killableJourneys(
  finish: (world: World, redisUrl: string) => Promise<void> = async () => {},
): (name: string, run: KillableRun) => void {
  const start = async (run: KillableRun) => {
    const url = await redisUrl();
    await inWorld({ redisUrl: url, push: false, replicas: 0 }, async (world) => {
      const redis = new Redis(url);
      let process = await startBotProcess(world);
      try {
        await run(world.person(HOLDER), world, {
          redis,
          kill: () => process.kill(),
          async revive() {
            for (const side of ['telegram', 'rental']) await world.control('DELETE', `/${side}/faults`);
            process = await startBotProcess(world);
          },
        });
        await finish(world, url);
      } finally {
        await process.kill();
        redis.disconnect();
      }
    });
  };
  return (name, run) => {
    test.concurrent(name, () => inTurn(() => start(run)));
  };
}
