import { availableParallelism } from 'node:os';
import { startApp } from './app-process.ts';
import { type Bench, prepare, type RedisWorld } from './bench-world.ts';
import { cpuBetween, readCpu } from './process-cpu.ts';
import type { Sizes } from './sizes.ts';
import type { WalkResults } from './walks.ts';

export type Sustained = Awaited<ReturnType<typeof measureSustained>>;

const LINKING = { atOnce: 24 };
/** New users of each try, per purchase a second. One user then buys about every twelve seconds. */
const PEOPLE_PER_RATE = 12;
const SETTLED_MS = 60_000;
/** Maximum time from an update to its response, and from *Confirm* to the outcome, at the 99th percentile. */
const MAX_RESPONSE_MS = 3_000;
/** A walk of the last quarter may take longer than one of the second quarter by this factor and these milliseconds. */
const SLOWER = { factor: 1.5, ms: 100 };

/** Purchases at one rate, and the operations that were still due at the end of the waiting time. */
interface Load {
  walked: Pick<WalkResults, 'failures' | 'skipped' | 'replies' | 'outcomes' | 'quarters'>;
  due: number;
}

/** Returns why a rate is not sustained. Empty if it is. */
export function reasonsAgainst({ walked, due }: Load): string[] {
  const { failures, skipped, replies, outcomes, quarters } = walked;
  const [, early = 0, , late = 0] = quarters;
  return [
    ...(Object.keys(failures).length > 0 ? ['failures'] : []),
    ...(skipped > 0 ? ['all users busy'] : []),
    ...(late > SLOWER.factor * early + SLOWER.ms ? ['growing waits'] : []),
    ...(Math.max(replies.p99, outcomes.p99) > MAX_RESPONSE_MS ? ['slow responses'] : []),
    ...(due > 0 ? ['operations left due'] : []),
  ];
}

/**
 * Searches for the highest rate of purchases that one process sustains. Tries ever higher rates for a short time until
 * one isn't sustained, then ever lower ones for the full time until one is.
 */
export async function measureSustained(bench: Bench, world: RedisWorld, { sustained }: Sizes) {
  const { standIns } = bench;
  const { from, most, step, probeSeconds, seconds } = sustained;
  const app = await startApp(bench, { redisUrl: world.url });
  const pids = { app: app.pid, redis: world.pid, standIns: standIns.pid, bench: process.pid };
  let linked = 0;

  async function attempt(perSecond: number, seconds: number) {
    const processors = availableParallelism();
    const people = PEOPLE_PER_RATE * perSecond;
    const group = { first: linked, people };
    linked += people;
    await prepare(bench, { ...group, ...LINKING, walks: people, walk: 'link' });
    const before = readCpu(pids);
    const walks = perSecond * seconds;
    const walked = await standIns.ask('walk', { ...group, walks, perSecond, walk: 'purchase' });
    const cpu = cpuBetween(before, readCpu(pids), processors);
    const began = performance.now();
    const due = await world.drained(SETTLED_MS);
    const shareOf = (name: keyof typeof pids) => (cpu.byProcess[name] ?? 0) / cpu.seconds;
    return {
      ...{ perSecond, seconds, walked, due, drainedMs: performance.now() - began },
      /** Processors used, on average, by each process and by all programs outside of the benchmark. */
      processors: {
        app: shareOf('app'),
        redis: shareOf('redis'),
        standIns: shareOf('standIns'),
        others: cpu.foreign * processors,
      },
      reasons: reasonsAgainst({ walked, due }),
    };
  }

  try {
    const attempts: Awaited<ReturnType<typeof attempt>>[] = [];
    const isSustained = async (perSecond: number, seconds: number) => {
      const made = await attempt(perSecond, seconds);
      attempts.push(made);
      return made.reasons.length === 0;
    };
    let rate = from;
    while (rate <= most && (await isSustained(rate, probeSeconds))) rate += step;
    do rate -= step;
    while (rate > 0 && !(await isSustained(rate, seconds)));
    return { attempts, seconds, highest: Math.max(0, rate) };
  } finally {
    await app.kill();
  }
}
