import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runSchedule, sampleOf, schedulesOf, spread } from './explore.ts';
import type { Fault } from './faults.ts';
import { SABOTAGES } from './sabotages.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';

const USAGE = `Runs each scenario once for every single fault at every boundary that it crosses.

  npm run simulate                               all schedules of all scenarios
  npm run simulate -- --scenario NAME            one scenario
  npm run simulate -- --limit N                  an even sample of N schedules of each scenario
  npm run simulate -- --seed N                   with other ids
  npm run simulate -- --replay FILE              one schedule that failed, with its trace
  npm run simulate -- --sabotage list            the protections that can be disabled
  npm run simulate -- --sabotage NAME            disables one: exits with 0 if a schedule fails because of it
`;

interface Failure {
  scenario: string;
  seed: number;
  fault: Fault | undefined;
  problems: string[];
}

const { values } = parseArgs({
  options: {
    scenario: { type: 'string' },
    limit: { type: 'string' },
    seed: { type: 'string', default: '1' },
    replay: { type: 'string' },
    sabotage: { type: 'string' },
    help: { type: 'boolean' },
  },
});
// The clock is replaced while a schedule runs.
const { hrtime } = process;
const began = hrtime.bigint();
const seconds = () => Math.round(Number(hrtime.bigint() - began) / 1e9);
const say = (line: string) => process.stdout.write(`${line}\n`);

function scenarioOf(name: string): Scenario {
  const found = SCENARIOS.find((one) => one.name === name);
  if (!found)
    throw new Error(
      `no scenario is called ${name}; there are ${SCENARIOS.map((one) => one.name).join(', ')}`,
    );
  return found;
}

async function replay(file: string): Promise<number> {
  const { scenario, seed, fault } = JSON.parse(readFileSync(file, 'utf8')) as Failure;
  const { crossings, struck, problems, log } = await runSchedule(scenarioOf(scenario), { seed, fault });
  crossings.forEach(({ kind, name }, at) => {
    say(`${at === fault?.at ? `${fault.kind} →` : ''}\t${at}\t${kind}\t${name}`);
  });
  for (const line of log.slice(-40)) say(line.trim());
  say(struck ? `${fault?.kind} struck at ${struck.kind} ${struck.name}` : 'no fault struck');
  for (const problem of problems) say(`problem: ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

async function simulate(): Promise<number> {
  const seed = Number(values.seed);
  const limit = values.limit === undefined ? Number.POSITIVE_INFINITY : Number(values.limit);
  const chosen = values.scenario === undefined ? SCENARIOS : [scenarioOf(values.scenario)];
  const sum = { schedules: 0, doubled: 0, untold: 0, other: 0, unreached: 0 };
  for (const scenario of chosen) {
    const clean = await runSchedule(scenario, { seed });
    const faults = [undefined, ...sampleOf(schedulesOf(clean.crossings), limit)];
    const reached = new Set<string>();
    for (const fault of faults) {
      const result = fault === undefined ? clean : await runSchedule(scenario, { seed, fault });
      const { isDoubled, isUntold, problems } = result;
      sum.schedules += 1;
      sum.doubled += Number(isDoubled);
      sum.untold += Number(isUntold);
      sum.other += Number(problems.length > 0 && !isDoubled && !isUntold);
      for (const state of result.reached) reached.add(state);
      if (problems.length === 0) continue;
      const failure: Failure = { scenario: scenario.name, seed, fault, problems };
      const file = `simulation-${scenario.name}-${fault?.at ?? 'clean'}-${fault?.kind ?? ''}.json`;
      writeFileSync(file, JSON.stringify(failure, undefined, 2));
      say(`${file}: ${problems.join('; ')}`);
    }
    // A sample needn't reach everything.
    const missing = values.limit === undefined ? scenario.reaches.filter((state) => !reached.has(state)) : [];
    sum.unreached += missing.length;
    say(
      `${scenario.name}: ${faults.length} schedules, ${clean.crossings.length} crossings, after ${seconds()} s`,
    );
    if (missing.length > 0) say(`${scenario.name} never reached: ${missing.join(', ')}`);
  }
  if (sum.other > 0) say(`other problems: ${sum.other}`);
  say(`schedules ${sum.schedules}, doubled ${sum.doubled}, untold ${sum.untold}, unreached ${sum.unreached}`);
  return sum.doubled + sum.untold + sum.other + sum.unreached === 0 ? 0 : 1;
}

async function runSabotaged(name: string): Promise<number> {
  const sabotage = SABOTAGES[name];
  if (!sabotage) throw new Error(`no sabotage is called ${name}; --sabotage list names them`);
  const seed = Number(values.seed);
  let schedules = 0;
  const first = scenarioOf(sabotage.scenario);
  for (const scenario of [first, ...SCENARIOS.filter((one) => one !== first)]) {
    const { crossings } = await runSchedule(scenario, { seed });
    for (const fault of [undefined, ...spread(schedulesOf(crossings))]) {
      schedules += 1;
      const { problems } = await runSchedule(scenario, { seed, fault, sabotage });
      if (problems.length === 0) continue;
      say(`${scenario.name}, ${fault ? `${fault.kind} at ${fault.at}` : 'no fault'}: ${problems.join('; ')}`);
      say(`found after ${schedules} schedules`);
      return 0;
    }
  }
  say(`not found in ${schedules} schedules`);
  return 1;
}

async function main(): Promise<number> {
  if (values.replay !== undefined) return replay(values.replay);
  if (values.sabotage === undefined) return simulate();
  if (values.sabotage !== 'list') return runSabotaged(values.sabotage);
  for (const name of Object.keys(SABOTAGES)) say(name);
  return 0;
}

if (values.help) say(USAGE);
else process.exit(await main());
