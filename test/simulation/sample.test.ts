import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runCommand } from './command.ts';
import { runSchedule } from './explore.ts';
import { SABOTAGES } from './sabotages.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { installVirtualTime, type VirtualTime } from './virtual-time.ts';

const run = promisify(execFile);
const simulation = (...options: string[]) =>
  run(process.execPath, ['--import', 'tsx', 'test/simulation/run.ts', ...options], {
    maxBuffer: 10 * 2 ** 20,
    timeout: TEST_MS,
  });
/** Far above what any machine needs, as for all tests. */
const TEST_MS = 900_000;
/** Schedules of each scenario with a fault. */
const LIMIT = 1;
/** Number of the sample: the days since 1970, so that the runs of many days cover many faults. */
const TODAY = String(Math.floor(Date.now() / 86_400_000));
/** Schedules of each sabotage. */
const SABOTAGE_LIMIT = 4;

/**
 * Runs the simulation in a separate process, because it replaces the clock. Returns the lines of its output. Rejects with
 * the output if the exit code isn't 0.
 */
async function simulate(...options: string[]): Promise<string[]> {
  const { stdout } = await simulation(...options).catch(({ message, stdout }: Error & { stdout: string }) => {
    throw new Error(`${message}\n${stdout}`);
  });
  return stdout.trim().split('\n');
}

test(
  'a single fault in each scenario, another one each day, doubles no operation and leaves no user without the right outcome',
  async () => {
    const options = ['--limit', String(LIMIT), '--sample', TODAY];
    process.stdout.write(`npm run simulate -- ${options.join(' ')}\n`);
    const lines = await simulate(...options);
    const schedules = SCENARIOS.length * (LIMIT + 1);
    expect(lines.at(-1)).toBe(`schedules ${schedules}, doubled 0, untold 0, unreached 0`);
  },
  TEST_MS,
);

test(
  'the known schedule of each sabotage fails because of it',
  async () => {
    const lines = await simulate('--sabotage', 'all', '--limit', String(SABOTAGE_LIMIT));
    const found = lines.flatMap((line) => /^([\w-]+): found after \d+ schedules$/.exec(line)?.[1] ?? []);
    expect(found).toEqual(Object.keys(SABOTAGES));
  },
  TEST_MS,
);

test.each<[string, expected: string, work: (time: VirtualTime) => unknown]>([
  [
    'calls that wait for no timer',
    '10000 calls',
    (time) =>
      setTimeout(async () => {
        while (time.active()) await undefined;
      }),
  ],
  ['an endless timer', '50000 timers', () => setInterval(() => undefined, 1)],
  ['nothing to wait for', 'nothing waits', () => undefined],
])('time with %s is not waited for without end', async (_, expected, work) => {
  const time = installVirtualTime(1);
  try {
    work(time);
    const forEver = async () => {
      for (;;) await time.next();
    };
    await expect(forEver()).rejects.toThrow(expected);
  } finally {
    time.uninstall();
  }
});

test('a schedule whose actions never end fails', async () => {
  const endless: Scenario = {
    name: 'endless',
    ...{ chats: [], reaches: [] },
    prepare: async () => () => new Promise<never>(() => undefined),
  };
  const { problems } = await runSchedule(endless, { seed: 1, fault: { at: 0, kind: 'repeat' } });
  expect(problems).toEqual(["doesn't settle: the actions take more than an hour"]);
});

test.each([
  [['--limit', 'abc'], 'expected an integer from 1'],
  [['--limit', '0'], 'expected an integer from 1'],
  [['--seed', 'abc'], 'expected an integer from 0'],
  [['--sample', 'abc'], 'expected an integer from 0'],
  [['--scenario', 'nope'], 'expected one of buy-energy'],
  [['--sabotage', 'nope'], 'expected one of list'],
  [['--replay', 'missing.json'], 'expected a file that a failed schedule wrote'],
  [['--nope'], '--help lists the options'],
])('says what is expected instead of %j, in one line', async (options, expected) => {
  const error: Error = await runCommand(options).catch((reason) => reason);
  expect([error.message, error.message.includes('\n')]).toEqual([expect.stringContaining(expected), false]);
});

test('exits with 2 and the reason if an option is invalid', async () => {
  const { code, stdout, stderr } = await simulation('--limit', '0').catch((error) => error);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^--limit 0: .*\n$/);
});

test('a stored schedule is repeated with its trace', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'simulation-')), 'schedule.json');
  await writeFile(
    file,
    JSON.stringify({ scenario: 'buy-energy', seed: 1, fault: { at: 12, kind: 'delay' } }),
  );
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  onTestFinished(() => void vi.restoreAllMocks());
  for (const _ of [1, 2]) expect(await runCommand(['--replay', file])).toBe(0);
  expect(lines.splice(0, lines.length / 2)).toEqual(lines);
  expect(lines.at(-1)).toMatch(/^delay injected at storage /);
});
