import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startRedis } from '../support/redis-process.ts';
import type { Acts } from './acts.ts';
import type { StandIns } from './stand-ins-process.ts';

/** What all parts of the bench work with. */
export interface Bench {
  standIns: StandIns;
  origin: string;
  /** Hears of every line of an app's log: of warnings and errors, that is. */
  logged(line: string): void;
}

/** A Redis of one's own, and a look into it. */
export interface RedisWorld {
  url: string;
  pid: number;
  redis: Redis;
  /** Waits until no operation is due; answers how many are left when patience is over. */
  drained(patienceMs: number): Promise<number>;
}

/** Has people walk to where a measurement begins: all of them must get there. */
export async function prepare(
  { standIns }: Pick<Bench, 'standIns'>,
  about: Parameters<Acts['walk']>[0],
): Promise<void> {
  const { failures } = await standIns.ask('walk', about);
  const [failure] = Object.entries(failures);
  if (failure) throw new Error(`${about.walk} failed ${failure[1]} times: ${failure[0]}`);
}

export const DUE_INDEX = 'operations:dueIndex';
const LOOK_MS = 100;

export async function withRedis<T>(work: (world: RedisWorld) => Promise<T>): Promise<T> {
  const server = await startRedis();
  const redis = new Redis(server.url);
  try {
    const [, pid] = /^process_id:(\d+)/m.exec(await redis.info('server')) ?? [];
    return await work({
      url: server.url,
      pid: Number(pid),
      redis,
      async drained(patienceMs) {
        const end = performance.now() + patienceMs;
        for (;;) {
          const left = await redis.zcard(DUE_INDEX);
          if (left === 0 || performance.now() > end) return left;
          await delay(LOOK_MS);
        }
      },
    });
  } finally {
    redis.disconnect();
    await server.stop();
  }
}
