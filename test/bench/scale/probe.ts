import { setTimeout as delay } from 'node:timers/promises';
import type { RedisWorld } from '../bench-world.ts';
import { cpuBetween, readCpu } from '../process-cpu.ts';

/** CPU of the app and of Redis in seconds, during a time in seconds. */
export interface Used {
  seconds: number;
  app: number;
  redis: number;
}

/** CPU of the app and of Redis as shares of one processor. */
export interface Shares {
  app: number;
  redis: number;
}

const SETTLE_MS = 2_000;
const POLL_MS = 200;

export type Probe = ReturnType<typeof createProbe>;

/** Creates the readings of one Redis server and of the processes that use it. */
export function createProbe({ redis, pid: redisPid }: RedisWorld) {
  const infoOf = async (section: string, field: string) =>
    Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(await redis.info(section))?.[1]);

  return {
    /** Executes `work` and reads the CPU that the process `pid` and Redis use during it. */
    async during<T>(pid: number, work: () => Promise<T>): Promise<{ result: T; used: Used }> {
      const pids = { app: pid, redis: redisPid };
      const before = readCpu(pids);
      const result = await work();
      const { byProcess, seconds } = cpuBetween(before, readCpu(pids), 1);
      const { app = 0, redis = 0 } = byProcess;
      return { result, used: { seconds, app, redis } };
    },
    readData: async () => ({ bytes: await infoOf('memory', 'used_memory'), keys: await redis.dbsize() }),
    /** Waits until Redis has rewritten its append-only file, for which it uses a processor. */
    async settle(): Promise<void> {
      while ((await infoOf('persistence', 'aof_rewrite_in_progress')) > 0) await delay(POLL_MS);
      await delay(SETTLE_MS);
    },
  };
}

export const sharesOf = ({ seconds, app, redis }: Used): Shares => ({
  app: app / seconds,
  redis: redis / seconds,
});
