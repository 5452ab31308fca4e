import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Started, startApp, startFloor } from './app-process.ts';
import { type Bench, prepare, type RedisWorld } from './bench-world.ts';
import type { Side } from './identities.ts';
import { cpuBetween, readCpu } from './process-cpu.ts';
import type { RecordedReplies } from './recorded-replies.ts';
import type { Sizes } from './sizes.ts';
import { MAX_FOREIGN, type Slice, type Summary, summarize } from './slices.ts';
import type { WalkName, WalkResults } from './walks.ts';

const LINKING = { atOnce: 16 };
const PREPARE_TIMEOUT_MS = 60_000;

/** Compares the CPU time of the app with that of the floor, which replays the app's calls with minimal code. */
export async function measureLoaded(
  bench: Bench,
  world: RedisWorld,
  sizes: Sizes,
  replies: RecordedReplies,
): Promise<Compared[]> {
  const { standIns, origin } = bench;
  const { people } = sizes;
  const folder = await mkdtemp(join(tmpdir(), 'rental-bot-bench-'));
  const file = join(folder, 'replies.json');
  const started: Started[] = [];
  try {
    await writeFile(file, JSON.stringify(replies));
    const app = await startApp(bench, { redisUrl: world.url });
    started.push(app);
    const floor = await startFloor({ standIns: origin, redisUrl: world.url, replies: file });
    started.push(floor);
    await standIns.ask('floorAt', { origin: floor.origin });
    const cohorts = createCohorts(bench, world, people);
    await cohorts.prepare(sizes.slices + 1);

    const where = { world, app, floor };
    const { purchases: walks, menus } = sizes;
    const purchase = { walk: 'purchase', walks, prepare: cohorts.next } as const;
    const cpu = [await compareCpu(bench, where, sizes, purchase)];
    for (const side of ['app', 'floor'] as const) {
      await prepare(bench, { ...LINKING, side, people, walks: people, walk: 'start' });
    }
    cpu.push(await compareCpu(bench, where, sizes, { walk: 'menu', walks: menus }));
    return cpu;
  } finally {
    for (const one of started) await one.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Creates groups of users for one slice each, because users with many purchases cost more. Each user has bought once
 * before and was offered alerts.
 */
function createCohorts(bench: Bench, world: RedisWorld, people: number) {
  let prepared = 0;
  let used = 0;

  async function prepareGroups(groups: number): Promise<void> {
    const count = people * groups;
    const group = { ...LINKING, first: prepared, people: count, walks: count };
    prepared += count;
    await prepare(bench, { ...group, walk: 'link' });
    await prepare(bench, { ...group, walk: 'purchase' });
    await world.drained(PREPARE_TIMEOUT_MS);
  }

  return {
    prepare: prepareGroups,
    /** Returns the first user of the next group. */
    async next(): Promise<number> {
      if (used + people > prepared) await prepareGroups(1);
      const first = used;
      used += people;
      return first;
    },
  };
}

export type Compared = Record<Side, Summary> & { walk: WalkName; failures: Record<string, number> };

const CONCURRENCY = 24;
const DRAIN_TIMEOUT_MS = 30_000;

/** Compares app and floor on the same walks, alternately: CPU per update, and updates per second. */
async function compareCpu(
  { standIns }: Bench,
  { world, app, floor }: { world: RedisWorld; app: Started; floor: Started },
  { slices, tries, people }: Pick<Sizes, 'slices' | 'tries' | 'people'>,
  about: { walk: WalkName; walks: number; prepare?: () => Promise<number> },
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
    const first = (side === 'app' && (await prepare?.())) || 0;
    const calls = await standIns.ask('calls', null);
    const before = readCpu(pids);
    const walked = await standIns.ask('walk', { side, first, people, walk, walks, atOnce: CONCURRENCY });
    // The remaining work for these walks counts too.
    await world.drained(DRAIN_TIMEOUT_MS);
    const { byProcess, foreign } = cpuBetween(before, readCpu(pids), availableParallelism());
    countFailures(walked);
    const perUpdate = (name: string) => (1e6 * (byProcess[name] ?? 0)) / walked.updates;
    const figures = {
      microseconds: perUpdate(side),
      redisMicroseconds: perUpdate('redis'),
      calls: ((await standIns.ask('calls', null)) - calls) / walked.updates,
      updatesPerSecond: (1000 * walked.updates) / walked.ms,
    };
    return { figures, foreign };
  }

  function countFailures(walked: WalkResults): void {
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
