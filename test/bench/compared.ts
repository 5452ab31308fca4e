import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Started, startApp, startCompared } from './app-process.ts';
import { type Bench, prepare, type RedisWorld } from './bench-world.ts';
import type { Side } from './identities.ts';
import type { Peer } from './install-peers.ts';
import { cpuBetween, readCpu } from './process-cpu.ts';
import type { RecordedReplies } from './recorded-replies.ts';
import type { Sizes } from './sizes.ts';
import { MAX_FOREIGN, ratiosOf, type Slice, type Summary, summarize } from './slices.ts';
import { countFailures, type WalkName } from './walks.ts';

const LINKING = { atOnce: 16 };
const PREPARE_TIMEOUT_MS = 60_000;

/**
 * Compares the CPU time of the app with that of the peers and of the floor, which replays the app's calls with minimal
 * code.
 */
export async function measureLoaded(
  bench: Bench,
  world: RedisWorld,
  sizes: Sizes,
  { replies: recorded, peers }: { replies: RecordedReplies; peers: readonly Peer[] },
): Promise<Compared[]> {
  const { people } = sizes;
  const folder = await mkdtemp(join(tmpdir(), 'rental-bot-bench-'));
  const replies = join(folder, 'replies.json');
  const started = new Map<Side, Started>();
  try {
    await writeFile(replies, JSON.stringify(recorded));
    started.set('app', await startApp(bench, { redisUrl: world.url }));
    for (const side of ['floor', ...peers] as const) {
      started.set(side, await startCompared(bench, side, { redisUrl: world.url, replies }));
    }
    const cohorts = createCohorts(bench, world, people);
    await cohorts.prepare(sizes.slices + 1);

    const where = { world, started };
    const { purchases: walks, menus } = sizes;
    const purchase = { walk: 'purchase', walks, nextOfApp: cohorts.next } as const;
    const cpu = [await compareCpu(bench, where, sizes, purchase)];
    for (const side of started.keys()) {
      await prepare(bench, { ...LINKING, side, people, walks: people, walk: 'start' });
    }
    cpu.push(await compareCpu(bench, where, sizes, { walk: 'menu', walks: menus }));
    return cpu;
  } finally {
    for (const one of started.values()) await one.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Creates groups of users for one slice of the app each, because users with many purchases cost it more. Each user has
 * bought once before and was offered alerts.
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

/** Figures of one kind of walk by side. `failures`: failed walks by side and reason. */
export interface Compared {
  walk: WalkName;
  sides: Partial<Record<Side, Summary>>;
  /** Ratios of the app's CPU per update to that of each other side, in rounds of one slice of every side. */
  ratios: Partial<Record<Side, number[]>>;
  failures: Record<string, number>;
}

const CONCURRENCY = 24;
const DRAIN_TIMEOUT_MS = 30_000;

/** Compares all sides on the same walks, alternately: CPU per update, and updates per second. */
async function compareCpu(
  { standIns }: Bench,
  { world, started }: { world: RedisWorld; started: ReadonlyMap<Side, Started> },
  { slices, tries, people }: Pick<Sizes, 'slices' | 'tries' | 'people'>,
  about: {
    walk: WalkName;
    walks: number;
    /** Returns the first user of the app's next slice. By default all slices have the same users. */
    nextOfApp?: () => Promise<number>;
  },
): Promise<Compared> {
  const { walk, walks, nextOfApp } = about;
  const sides = [...started.keys()];
  const pids = {
    ...Object.fromEntries([...started].map(([side, { pid }]) => [side, pid])),
    redis: world.pid,
    standIns: standIns.pid,
    bench: process.pid,
  };
  const failures: Record<string, number> = {};
  const taken = new Map<Side, Slice[]>(sides.map((side) => [side, []]));

  async function slice(side: Side): Promise<Slice> {
    const first = (side === 'app' && (await nextOfApp?.())) || 0;
    const calls = await standIns.ask('calls', null);
    const before = readCpu(pids);
    const walked = await standIns.ask('walk', { side, first, people, walk, walks, atOnce: CONCURRENCY });
    // The remaining work for these walks counts too.
    await world.drained(DRAIN_TIMEOUT_MS);
    const { byProcess, foreign } = cpuBetween(before, readCpu(pids), availableParallelism());
    countFailures(failures, side, walked);
    const perUpdate = (name: string) => (1e6 * (byProcess[name] ?? 0)) / walked.updates;
    const figures = {
      microseconds: perUpdate(side),
      redisMicroseconds: perUpdate('redis'),
      calls: ((await standIns.ask('calls', null)) - calls) / walked.updates,
      updatesPerSecond: (1000 * walked.updates) / walked.ms,
    };
    return { figures, foreign };
  }

  const hasEnough = (of: Slice[]) => of.filter(({ foreign }) => foreign <= MAX_FOREIGN).length >= slices;
  // Warm-up, so that just-in-time compilation doesn't count.
  for (const side of sides) await slice(side);
  for (let rounds = 0; rounds < tries * slices; rounds++) {
    if ([...taken.values()].every(hasEnough)) break;
    for (const [side, of] of taken) of.push(await slice(side));
  }
  const summaries = [...taken].map(([side, of]) => [side, summarize(of)] as const);
  const ratios = [...taken]
    .filter(([side]) => side !== 'app')
    .map(([side, of]) => [side, ratiosOf('microseconds', taken.get('app') ?? [], of)] as const);
  return { walk, failures, sides: Object.fromEntries(summaries), ratios: Object.fromEntries(ratios) };
}
