import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type Result, runSchedule, sampleOf, schedulesOf, spread } from './explore.ts';
import { type Crossing, FAULT_KINDS, type Fault } from './faults.ts';
import { SABOTAGES, type Sabotage } from './sabotages.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';

const USAGE = `Runs each scenario once for every single fault at every boundary that it crosses.

  npm run simulate                               all schedules of all scenarios
  npm run simulate -- --scenario NAME            one scenario
  npm run simulate -- --limit N                  an even sample of N schedules of each scenario
  npm run simulate -- --limit N --sample M       another sample for each M
  npm run simulate -- --seed N                   with other ids
  npm run simulate -- --replay FILE              one schedule that failed, with its trace
  npm run simulate -- --sabotage list            the protections that can be disabled
  npm run simulate -- --sabotage NAME            disables one: exits with 0 if a schedule fails because of it
  npm run simulate -- --sabotage all             disables each in turn
`;
const MAX_NUMBER = 999_999_999;
/** Maximum log lines that a replay prints from before and after the fault. */
const LOG_LINES = { before: 10, after: 30 };

/** An invalid option. Its message says what is wrong and what is expected. */
export class UsageError extends Error {}

const scheduleSchema = z.object({
  scenario: z.string(),
  seed: z.number(),
  fault: z.object({ at: z.number(), kind: z.enum(FAULT_KINDS) }).optional(),
});

interface Failure {
  scenario: string;
  seed: number;
  fault: Fault | undefined;
  problems: string[];
}

interface Options {
  /** Scenario to run instead of all. */
  scenario: Scenario | undefined;
  limit: number | undefined;
  /** Number of the sample. */
  sample: number;
  seed: number;
}

// The clock is replaced while a schedule runs.
const { hrtime } = process;
const began = hrtime.bigint();
const seconds = () => Math.round(Number(hrtime.bigint() - began) / 1e9);
const say = (line: string) => process.stdout.write(`${line}\n`);

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        scenario: { type: 'string' },
        limit: { type: 'string' },
        sample: { type: 'string', default: '0' },
        seed: { type: 'string', default: '1' },
        replay: { type: 'string' },
        sabotage: { type: 'string' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    const [reason = ''] = (error as Error).message.split(/\.? To specify|\n/);
    throw new UsageError(`${reason.replace(/\.$/, '')}; --help lists the options`);
  }
}

/** Parses an integer from `least` to {@link MAX_NUMBER}. */
function integerOf(option: string, given: string, least: number): number {
  const number = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
  if (number >= least) return number;
  throw new UsageError(`--${option} ${given}: expected an integer from ${least} to ${MAX_NUMBER}`);
}

/** `from` says where the name was given. */
function scenarioOf(name: string, from = '--scenario'): Scenario {
  const found = SCENARIOS.find((one) => one.name === name);
  if (found) return found;
  throw new UsageError(
    `${from} ${name}: no such scenario; expected one of ${SCENARIOS.map((one) => one.name).join(', ')}`,
  );
}

function readSchedule(file: string) {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `--replay ${file}: can't be read (${code}); expected a file that a failed schedule wrote`,
    );
  }
  try {
    return scheduleSchema.parse(JSON.parse(text));
  } catch {
    throw new UsageError(`--replay ${file}: not a schedule; expected a file that a failed schedule wrote`);
  }
}

/** Returns the warnings and errors of all instances around the fault, or the first ones if none was injected. */
function warningsAround({ log, injected }: Result): string[] {
  const isWarning = (line: string) => /^\{"level":"(warn|error|fatal)"/.test(line);
  const lines = injected?.logLines ?? 0;
  return [
    ...log.slice(0, lines).filter(isWarning).slice(-LOG_LINES.before),
    ...log.slice(lines).filter(isWarning).slice(0, LOG_LINES.after),
  ];
}

async function replay(file: string): Promise<number> {
  const { scenario, seed, fault } = readSchedule(file);
  const result = await runSchedule(scenarioOf(scenario, `--replay ${file}:`), { seed, fault });
  const { allCrossings, injected, problems } = result;
  say('fault\tnumber\tinstance\tboundary\tcall');
  for (const { instance, crossing, at } of allCrossings) {
    const mark = injected && at === injected.fault.at ? `${injected.fault.kind} →` : '';
    say(`${mark}\t${at ?? ''}\t${instance}\t${crossing.kind}\t${crossing.name}`);
  }
  for (const line of warningsAround(result)) say(line.trim());
  say(
    injected
      ? `${injected.fault.kind} injected at ${injected.crossing.kind} ${injected.crossing.name}`
      : 'no fault injected',
  );
  for (const problem of problems) say(`problem: ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

async function simulate({ scenario: only, limit, sample, seed }: Options): Promise<number> {
  const sum = { schedules: 0, doubled: 0, untold: 0, unreached: 0 };
  const others: string[] = [];
  for (const scenario of only ? [only] : SCENARIOS) {
    const clean = await runSchedule(scenario, { seed });
    const all = schedulesOf(clean.crossings);
    const faults = [undefined, ...sampleOf(all, limit ?? Number.POSITIVE_INFINITY, sample)];
    const reached = new Set<string>();
    for (const fault of faults) {
      const result = fault === undefined ? clean : await runSchedule(scenario, { seed, fault });
      const { isDoubled, isUntold, problems, other } = result;
      sum.schedules += 1;
      sum.doubled += Number(isDoubled);
      sum.untold += Number(isUntold);
      for (const state of result.reached) reached.add(state);
      // Otherwise a schedule could pass because its fault was never injected.
      if (fault && result.injected?.crossing.name !== clean.crossings[fault.at]?.name)
        others.push(`${scenario.name} ${fault.at} ${fault.kind}: the fault was injected at another boundary`);
      if (problems.length === 0) continue;
      const failure: Failure = { scenario: scenario.name, seed, fault, problems };
      const file = `simulation-${scenario.name}-${fault ? `${fault.at}-${fault.kind}` : 'clean'}.json`;
      writeFileSync(file, JSON.stringify(failure, undefined, 2));
      say(`${file}: ${problems.join('; ')}`);
      others.push(...other.map((problem) => `${file}: ${problem}`));
    }
    // A sample needn't reach everything.
    const missing = limit === undefined ? scenario.reaches.filter((state) => !reached.has(state)) : [];
    sum.unreached += missing.length;
    say(
      `${scenario.name}: ${faults.length} schedules, ${clean.crossings.length} crossings, after ${seconds()} s`,
    );
    if (missing.length > 0) say(`${scenario.name} never reached: ${missing.join(', ')}`);
  }
  if (others.length > 0) {
    say(`\nother problems: ${others.length}`);
    for (const line of others) say(`  ${line}`);
    say('');
  }
  say(`schedules ${sum.schedules}, doubled ${sum.doubled}, untold ${sum.untold}, unreached ${sum.unreached}`);
  return sum.doubled + sum.untold + sum.unreached + others.length === 0 ? 0 : 1;
}

/** Returns whether a schedule fails because of a sabotage. With `limit`, at most that many are tried. */
async function isFound(name: string, sabotage: Sabotage, options: Options): Promise<boolean> {
  const { scenario: only, limit = Number.POSITIVE_INFINITY, seed } = options;
  const first = scenarioOf(sabotage.scenario);
  let schedules = 0;
  for (const scenario of only ? [only] : [first, ...SCENARIOS.filter((one) => one !== first)]) {
    const { crossings } = await runSchedule(scenario, { seed });
    for (const fault of [...likelyFirst(crossings, sabotage), undefined]) {
      if (schedules === limit) break;
      schedules += 1;
      const { problems } = await runSchedule(scenario, { seed, fault, sabotage });
      if (problems.length === 0) continue;
      // The schedule must fail because of the sabotage.
      if ((await runSchedule(scenario, { seed, fault })).problems.length > 0) continue;
      say(`${scenario.name}, ${fault ? `${fault.kind} at ${fault.at}` : 'no fault'}: ${problems.join('; ')}`);
      say(`${name}: found after ${schedules} schedules`);
      return true;
    }
  }
  say(`${name}: not found in ${schedules} schedules`);
  return false;
}

/** Returns all schedules of a scenario, those of the fault that is known to find the sabotage first. */
function likelyFirst(crossings: readonly Crossing[], { fault: [kind, at] }: Sabotage): Fault[] {
  const isLikely = (fault: Fault) => fault.kind === kind && at.test(crossings[fault.at]?.name ?? '');
  const all = spread(schedulesOf(crossings));
  return [...all.filter(isLikely), ...all.filter((fault) => !isLikely(fault))];
}

async function runSabotaged(name: string, options: Options): Promise<number> {
  const all = Object.entries(SABOTAGES).filter(([one]) => name === 'all' || name === one);
  if (all.length === 0) {
    const names = ['list', 'all', ...Object.keys(SABOTAGES)].join(', ');
    throw new UsageError(`--sabotage ${name}: no such sabotage; expected one of ${names}`);
  }
  let missing = 0;
  for (const [one, sabotage] of all) if (!(await isFound(one, sabotage, options))) missing += 1;
  return missing;
}

/** Runs `npm run simulate` with these arguments. Returns the exit code. Throws {@link UsageError}. */
export async function runCommand(args: string[]): Promise<number> {
  const values = readArguments(args);
  if (values.help) {
    say(USAGE);
    return 0;
  }
  const options: Options = {
    scenario: values.scenario === undefined ? undefined : scenarioOf(values.scenario),
    limit: values.limit === undefined ? undefined : integerOf('limit', values.limit, 1),
    sample: integerOf('sample', values.sample, 0),
    seed: integerOf('seed', values.seed, 0),
  };
  if (values.replay !== undefined) return replay(values.replay);
  if (values.sabotage === undefined) return simulate(options);
  if (values.sabotage !== 'list') return runSabotaged(values.sabotage, options);
  for (const name of Object.keys(SABOTAGES)) say(name);
  return 0;
}
