import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const TEST_MS = 240_000;

/** Runs the simulation in a separate process, because it replaces the clock. Rejects if the exit code isn't 0. */
async function simulate(...options: string[]): Promise<string[]> {
  const { stdout } = await run(process.execPath, ['--import', 'tsx', 'test/simulation/run.ts', ...options], {
    maxBuffer: 10 * 2 ** 20,
  });
  return stdout.trim().split('\n');
}

test(
  'a sample of single faults in each scenario doubles no operation and leaves no user without the right outcome',
  async () => {
    const lines = await simulate('--limit', '4');
    expect(lines.at(-1)).toBe('schedules 100, doubled 0, untold 0, unreached 0');
  },
  TEST_MS,
);

test(
  'a schedule fails if the mark before the request is lost',
  async () => {
    const lines = await simulate('--sabotage', 'mark-before-request');
    expect(lines.at(-1)).toMatch(/^found after \d+ schedules$/);
  },
  TEST_MS,
);

test(
  'a stored schedule is repeated with its trace',
  async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'simulation-')), 'schedule.json');
    const fault = { at: 12, kind: 'delay' };
    await writeFile(file, JSON.stringify({ scenario: 'buy-energy', seed: 1, fault }));
    const [first, second] = [await simulate('--replay', file), await simulate('--replay', file)];
    expect(first).toEqual(second);
    expect(first.at(-1)).toMatch(/^delay struck at storage /);
  },
  TEST_MS,
);
