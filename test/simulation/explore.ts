import { setTimeout as delay } from 'node:timers/promises';
import { check, takeBaseline, type Verdict } from './checks.ts';
import { type Crossing, type Fault, faultsAt } from './faults.ts';
import type { Sabotage } from './sabotages.ts';
import type { Scenario } from './scenarios.ts';
import { installVirtualTime, Unsettled } from './virtual-time.ts';
import { CALM_MS, createSimulatedWorld, type SimulatedWorld, type Trace } from './world.ts';

export interface Result extends Verdict, Pick<Trace, 'crossings' | 'allCrossings'> {
  injected: Trace['injected'];
  /** States that operations were in, and `takeover`, `duplicate-delivery` and `stale-write` where that happened. */
  reached: Set<string>;
  log: readonly string[];
}

export interface ScheduleOptions {
  seed: number;
  fault?: Fault | undefined;
  sabotage?: Sabotage | undefined;
}

/** Runs a scenario from its start to calm, with one fault or none. */
export async function runSchedule(
  scenario: Scenario,
  { seed, fault, sabotage }: ScheduleOptions,
): Promise<Result> {
  const time = installVirtualTime(seed);
  let world: SimulatedWorld | undefined;
  try {
    world = await createSimulatedWorld({ time, scenario, sabotage });
    return resultOf(world, await play(world, scenario, fault));
  } catch (error) {
    if (!(error instanceof Unsettled)) throw error;
    const problems = [`doesn't settle: ${error.message}`];
    return resultOf(world, { isDoubled: false, isUntold: false, problems, other: problems });
  } finally {
    world?.end();
    time.uninstall();
  }
}

async function play(world: SimulatedWorld, scenario: Scenario, fault: Fault | undefined): Promise<Verdict> {
  const act = await world.during(() => scenario.prepare(world));
  // Lets all earlier work finish.
  await world.during(() => delay(CALM_MS));
  const before = await takeBaseline(world, scenario);
  await world.count(fault);
  const failureOf = (script: () => Promise<unknown>) =>
    world.during(script).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof Unsettled) throw error;
        return error;
      },
    );
  let failure = await failureOf(act);
  world.stopCounting();
  const { mustFinish } = scenario;
  let sent: Awaited<ReturnType<typeof world.sent>> | undefined;
  if (failure !== undefined && mustFinish && fault !== undefined && (await world.hasAskedToTryAgain())) {
    sent = await world.sent();
    failure = await failureOf(() => (mustFinish === true ? act() : mustFinish(world)));
  }
  await world.calm();
  sent ??= await world.sent();
  return check(world, scenario, { before, injected: world.trace.injected, failure, sent });
}

function resultOf(world: SimulatedWorld | undefined, verdict: Verdict): Result {
  const {
    crossings = [],
    allCrossings = [],
    injected,
    instances = 0,
    duplicates = 0,
    staleWrites = 0,
  } = world?.trace ?? {};
  const reached = new Set([...(world?.transitions ?? [])].map((step) => step.split(' ')[1] ?? ''));
  if (instances > 1) reached.add('takeover');
  if (duplicates > 0) reached.add('duplicate-delivery');
  if (staleWrites > 0) reached.add('stale-write');
  return { ...verdict, crossings, allCrossings, injected, reached, log: [...(world?.log ?? [])] };
}

/** Every fault at every crossing of a run without faults. */
export function schedulesOf(crossings: readonly Crossing[]): Fault[] {
  return crossings.flatMap((crossing, at) => faultsAt(crossing).map((kind) => ({ at, kind })));
}

const GOLDEN_RATIO = 0.618034;

/** Returns an evenly spread sample. Samples with consecutive numbers differ the most. */
export function sampleOf<One>(all: readonly One[], limit: number, number: number): One[] {
  if (all.length <= limit) return [...all];
  const offset = (number * GOLDEN_RATIO) % 1;
  return Array.from({ length: limit }, (_, nth) =>
    all.at(Math.floor(((nth + offset) * all.length) / limit)),
  ).filter((one): one is One => one !== undefined);
}

/** Returns all in an order whose every beginning is an even sample. */
export function spread<One>(all: readonly One[]): One[] {
  return all
    .map((one, at) => ({ one, place: (at * GOLDEN_RATIO) % 1 }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
}
