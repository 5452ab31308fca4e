import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startRedis } from '../support/redis-process.ts';
import type { Acts } from './acts.ts';
import { type StandIns, startStandIns } from './stand-ins-process.ts';

/** Context of all parts of the benchmark. */
export interface Bench {
  standIns: StandIns;
  origin: string;
  /** Called for every log line of an app. Only warnings and errors are logged. */
  logged(line: string): void;
}

/** Starts the stand-ins. `counts`: log lines of all apps by message. */
export async function startBench() {
  const standIns = await startStandIns();
  const counts: Record<string, number> = {};
  const bench: Bench = {
    standIns,
    origin: await standIns.ask('origin', null),
    logged(line) {
      const [, said = line] = /"msg":"([^"]*)"/.exec(line) ?? [];
      counts[said] = (counts[said] ?? 0) + 1;
    },
  };
  return { bench, counts };
}

/** A separate Redis server, with access to its data. */
export interface RedisWorld {
  url: string;
  pid: number;
  redis: Redis;
  /** Waits until no operation is due. Returns the number of remaining ones on timeout. */
  drained(patienceMs: number): Promise<number>;
}

/** Makes users walk to the start of a measurement. Throws if a walk fails. */
export async function prepare(
  { standIns }: Pick<Bench, 'standIns'>,
  about: Parameters<Acts['walk']>[0],
): Promise<void> {
  const { failures } = await standIns.ask('walk', about);
  const [failure] = Object.entries(failures);
  if (failure) throw new Error(`${about.walk} failed ${failure[1]} times: ${failure[0]}`);
}

export const DUE_INDEX = 'operations:due';
const POLL_MS = 100;

/** Runs `work` with a separate Redis server. `settings`: additional options of the server. */
export async function withRedis<T>(
  work: (world: RedisWorld) => Promise<T>,
  settings: string[] = [],
): Promise<T> {
  const server = await startRedis(settings);
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
          await delay(POLL_MS);
        }
      },
    });
  } finally {
    redis.disconnect();
    await server.stop();
  }
}
