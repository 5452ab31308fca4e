import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const TEST_MS = 120_000;

/** Runs the simulation in a separate process, because it replaces the clock. Rejects if the exit code isn't 0. */
async function simulate(...options: string[]): Promise<string[]> {
  const { stdout } = await run(process.execPath, ['--import', 'tsx', 'test/simulation/run.ts', ...options]);
  return stdout.trim().split('\n');
}

test(
  'a sample of single faults doubles no purchase and leaves no user without the right outcome',
  async () => {
    const lines = await simulate('--limit', '12');
    expect(lines.at(-1)).toBe('schedules 39, doubled 0, untold 0, unreached 0');
  },
  TEST_MS,
);

test(
  'a missing mark before the request is found',
  async () => {
    const lines = await simulate('--sabotage', 'mark-before-request');
    expect(lines.at(-1)).toMatch(/^found after \d+ schedules$/);
  },
  TEST_MS,
);
