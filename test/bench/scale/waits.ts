import { setTimeout as delay } from 'node:timers/promises';
import { createDueQueue } from '../../../src/platform/due-queue.ts';
import { RECURRING_WORK } from '../../../src/platform/recurring-work.ts';
import { DATA_FORMAT } from '../../../src/stored-data.ts';
import type { Started } from '../app-process.ts';
import type { Bench, RedisWorld } from '../bench-world.ts';
import { spreadOf } from '../slices.ts';
import type { Filling } from './filling.ts';
import type { Probe, Shares, Used } from './probe.ts';
import type { VisitName } from './visits.ts';

/**
 * Medians of a wait of users. The CPU, in seconds, contains the steps before the wait, but not what the idle process uses.
 */
export interface Wait extends Used {
  /** Set if the answer was late, partial or wrong. */
  remark?: string;
}

/** Longest time for reading all records, in milliseconds. */
const READ_ALL_MS = 300_000;
/** More than the pieces of recurring work. */
const MAX_WORK = 1_000;

/** Creates the measurements of waits of users and admins, and of an upgrade. `idle`: CPU of the idle process. */
export function createWaits(
  { standIns }: Bench,
  deps: { world: RedisWorld; probe: Probe; filling: Filling; app: Started; idle: Shares },
) {
  const { world, probe, filling, app, idle } = deps;

  const withoutIdle = ({ seconds, app, redis }: Used): Used => ({
    seconds,
    app: Math.max(0, app - idle.app * seconds),
    redis: Math.max(0, redis - idle.redis * seconds),
  });

  return {
    /** Has several users do something, one after another. `remarkOn` returns what is wrong with an answer. */
    async visits(
      visit: VisitName,
      all: { at: number; text?: string }[],
      remarkOn: (answer: string) => string | undefined = () => undefined,
    ): Promise<Wait> {
      const waits: Used[] = [];
      const remarks = new Set<string>();
      for (const about of all) {
        const { result, used } = await probe.during(app.pid, () =>
          standIns.ask('visit', { ...about, visit }).catch(({ message }: Error) => message),
        );
        const wait = withoutIdle(used);
        waits.push(typeof result === 'string' ? wait : { ...wait, seconds: result.ms / 1_000 });
        const remark = typeof result === 'string' ? `no answer: ${result}` : remarkOn(result.answer);
        if (remark) remarks.add(remark);
      }
      const median = (name: keyof Used) => spreadOf(waits.map((wait) => wait[name])).median;
      const wait: Wait = { seconds: median('seconds'), app: median('app'), redis: median('redis') };
      return remarks.size > 0 ? { ...wait, remark: [...remarks].join(', ') } : wait;
    },
    /** Has the process read all records, as after an upgrade. */
    async readAll(): Promise<Wait> {
      const recurringWork = createDueQueue(RECURRING_WORK, filling);
      const { result: isDone, used } = await probe.during(app.pid, async () => {
        await world.redis.del(DATA_FORMAT.keys);
        const all = await recurringWork.scheduled(MAX_WORK);
        await Promise.all(all.map((work) => recurringWork.scheduleIn(work, 0)));
        const end = performance.now() + READ_ALL_MS;
        while ((await world.redis.exists(DATA_FORMAT.keys)) === 0) {
          if (performance.now() > end) return false;
          await delay(20);
        }
        return true;
      });
      const wait = withoutIdle(used);
      return isDone ? wait : { ...wait, remark: 'not finished' };
    },
  };
}
