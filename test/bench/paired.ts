import { join } from 'node:path';
import { type Started, startApp } from './app-process.ts';
import { type Bench, prepare, type RedisWorld, withRedis } from './bench-world.ts';
import type { Side } from './identities.ts';
import { cpuBetween, readCpu } from './process-cpu.ts';
import type { Sizes } from './sizes.ts';
import { type Spread, spreadOf } from './slices.ts';
import { failureLines, spread, table } from './table.ts';
import { countFailures, type WalkName } from './walks.ts';

/** CPU of an update in microseconds, and the ratio of this checkout to the other one in each round. */
interface Pair {
  walk: WalkName;
  here: Spread;
  there: Spread;
  ratio: Spread;
  /** Failed walks by side and reason. */
  failures: Record<string, number>;
}

const LINKING = { atOnce: 16 };
const CONCURRENCY = 24;
const DRAIN_TIMEOUT_MS = 60_000;

/**
 * Compares the CPU of an update with that of another checkout of this repository, in short slices that alternate. Both have a
 * Redis of their own, because the stored formats can differ.
 */
export async function measurePaired(
  bench: Bench,
  world: RedisWorld,
  sizes: Sizes,
  against: string,
): Promise<Pair[]> {
  const { rounds } = sizes.paired;
  return withRedis(async (otherWorld) => {
    const app = await startApp(bench, { redisUrl: world.url });
    const other = await startApp(bench, {
      redisUrl: otherWorld.url,
      // Both set the same webhook.
      publicUrl: app.origin,
      command: [join(against, 'scripts/start.js'), 'main'],
    });
    try {
      await bench.standIns.ask('pushToReplica', { side: 'other', origin: other.origin });
      const here = await createSide(bench, sizes, { side: 'app', world, app });
      const there = await createSide(bench, sizes, { side: 'other', world: otherWorld, app: other });
      const pairs: Pair[] = [];
      for (const walk of ['menu', 'purchase'] as const) {
        const [ours, theirs]: [number[], number[]] = [[], []];
        const failures: Record<string, number> = {};
        // The first round is the warm-up.
        for (let round = 0; round <= rounds; round++) {
          ours.push(await here.slice(walk, failures));
          theirs.push(await there.slice(walk, failures));
        }
        ours.shift();
        theirs.shift();
        const ratio = spreadOf(ours.map((one, at) => one / (theirs[at] ?? Number.NaN)));
        pairs.push({ walk, here: spreadOf(ours), there: spreadOf(theirs), ratio, failures });
      }
      return pairs;
    } finally {
      await app.kill();
      await other.kill();
    }
  });
}

/** Links the accounts of a side's users. */
async function createSide(
  bench: Bench,
  { paired }: Sizes,
  { side, world, app }: { side: Side; world: RedisWorld; app: Started },
) {
  const { people } = paired;
  for (const walk of ['link', 'start'] as const)
    await prepare(bench, { ...LINKING, side, people, walks: people, walk });
  return {
    /** Returns the CPU of an update in microseconds. */
    async slice(walk: 'menu' | 'purchase', failures: Record<string, number>): Promise<number> {
      const before = readCpu({ app: app.pid });
      const about = { side, people, walk, walks: paired[walk], atOnce: CONCURRENCY };
      const walked = await bench.standIns.ask('walk', about);
      // The remaining work for these walks counts too.
      await world.drained(DRAIN_TIMEOUT_MS);
      countFailures(failures, side, walked);
      const { byProcess } = cpuBetween(before, readCpu({ app: app.pid }), 1);
      return (1e6 * (byProcess.app ?? 0)) / walked.updates;
    },
  };
}

export function pairedReport(pairs: readonly Pair[]): string {
  const rows = pairs.map(({ walk, here, there, ratio }) => [walk, ...[here, there, ratio].map(spread)]);
  const head = ['CPU of an update, µs', 'here', 'other checkout', 'here ÷ other'];
  return [table(head, rows), ...pairs.flatMap(({ failures }) => failureLines(failures))].join('\n\n');
}
