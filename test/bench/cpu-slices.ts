import { availableParallelism } from 'node:os';
import type { Started } from './app-process.ts';
import type { Bench, RedisWorld } from './bench-world.ts';
import type { Walked } from './crowd.ts';
import type { Side } from './identities.ts';
import { cpuBetween, readCpu } from './process-cpu.ts';
import type { Sizes } from './sizes.ts';
import { MAX_FOREIGN, type Slice, type Summary, summarize } from './slices.ts';
import type { WalkName } from './walks.ts';

export type Compared = Record<Side, Summary> & { walk: WalkName; failures: Record<string, number> };

const CONCURRENCY = 24;
const PATIENCE_MS = 30_000;

/** Compares app and floor on the same walks, alternately: CPU per update, and updates per second. */
export async function compareCpu(
  { standIns }: Bench,
  { world, app, floor }: { world: RedisWorld; app: Started; floor: Started },
  { slices, tries, people }: Pick<Sizes, 'slices' | 'tries' | 'people'>,
  about: { walk: WalkName; walks: number; first?: number; prepare?: () => Promise<number> },
): Promise<Compared> {
  const { walk, walks, prepare } = about;
  const pids = {
    app: app.pid,
    floor: floor.pid,
    redis: world.pid,
    standIns: standIns.pid,
    bench: process.pid,
  };
  const failures: Record<string, number> = {};
  const taken: Record<Side, Slice[]> = { app: [], floor: [] };

  async function slice(side: Side): Promise<Slice> {
    const first = (side === 'app' && (await prepare?.())) || (about.first ?? 0);
    const calls = await standIns.ask('calls', null);
    const before = readCpu(pids);
    const walked = await standIns.ask('walk', { side, first, people, walk, walks, atOnce: CONCURRENCY });
    // The remaining work for these walks counts too.
    await world.drained(PATIENCE_MS);
    const { byProcess, foreign } = cpuBetween(before, readCpu(pids), availableParallelism());
    note(walked);
    const perUpdate = (name: string) => (1e6 * (byProcess[name] ?? 0)) / walked.updates;
    const figures = {
      microseconds: perUpdate(side),
      redisMicroseconds: perUpdate('redis'),
      calls: ((await standIns.ask('calls', null)) - calls) / walked.updates,
      updatesPerSecond: (1000 * walked.updates) / walked.ms,
    };
    return { figures, foreign };
  }

  function note(walked: Walked): void {
    for (const [why, count] of Object.entries(walked.failures)) failures[why] = (failures[why] ?? 0) + count;
  }

  const isQuiet = ({ foreign }: Slice) => foreign <= MAX_FOREIGN;
  const enough = (side: Side) => taken[side].filter(isQuiet).length >= slices;
  // Warm-up, so that just-in-time compilation doesn't count.
  for (const side of ['app', 'floor'] as const) await slice(side);
  for (let pairs = 0; pairs < tries * slices; pairs++) {
    if (enough('app') && enough('floor')) break;
    for (const side of ['app', 'floor'] as const) taken[side].push(await slice(side));
  }
  return { walk, failures, app: summarize(taken.app), floor: summarize(taken.floor) };
}
