import type { Storage } from '../../src/storage/storage.ts';
import { check, type Verdict } from './checks.ts';
import { type Crossing, type Fault, faultsAt } from './faults.ts';
import type { Scenario } from './scenarios.ts';
import { installVirtualTime } from './virtual-time.ts';
import { createSimulatedWorld } from './world.ts';

export interface Result extends Verdict {
  crossings: Crossing[];
  struck: Crossing | undefined;
  /** States that operations were in, and `takeover`, `duplicate-delivery` and `stale-write` where that happened. */
  reached: Set<string>;
  log: readonly string[];
}

export interface ScheduleOptions {
  seed: number;
  fault?: Fault | undefined;
  alter?: ((storage: Storage) => Storage) | undefined;
}

/** Runs a scenario from its start to calm, with one fault or none. */
export async function runSchedule(
  scenario: Scenario,
  { seed, fault, alter }: ScheduleOptions,
): Promise<Result> {
  const time = installVirtualTime(seed);
  try {
    const world = await createSimulatedWorld({ time, alter });
    const act = await world.during(() => scenario.prepare(world));
    await time.settle();
    world.count(fault);
    // After a fault the reply that the script waits for may never come. The checks look at what was shown.
    const failure = await world.during(act).catch((error: unknown) => error);
    world.stopCounting();
    await world.calm();
    const verdict = await check(world, scenario);
    if (fault === undefined && failure !== undefined) verdict.problems.push(`without a fault: ${failure}`);
    const { crossings, struck, instances, duplicates, staleWrites } = world.trace;
    const reached = new Set([...world.transitions].map((step) => step.split(' ')[1] ?? ''));
    if (instances > 1) reached.add('takeover');
    if (duplicates > 0) reached.add('duplicate-delivery');
    if (staleWrites > 0) reached.add('stale-write');
    const log = [...world.log];
    await world.end();
    return { ...verdict, crossings, struck: struck?.crossing, reached, log };
  } finally {
    time.uninstall();
  }
}

/** Every fault at every crossing of a run without faults. */
export function schedulesOf(crossings: readonly Crossing[]): Fault[] {
  return crossings.flatMap((crossing, at) => faultsAt(crossing).map((kind) => ({ at, kind })));
}

/** Returns an evenly spread sample. */
export function sampleOf<One>(all: readonly One[], limit: number): One[] {
  if (all.length <= limit) return [...all];
  return Array.from({ length: limit }, (_, nth) => all[Math.floor((nth * all.length) / limit)]).filter(
    (one): one is One => one !== undefined,
  );
}
