import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const trace = (...action: string[]) =>
  run(process.execPath, ['--import', 'tsx', 'scripts/trace.ts', ...action], { maxBuffer: 2 ** 22 });

test('npm run trace lists the files and functions that Confirm executes', async () => {
  const { stdout } = await trace('confirm');
  expect(stdout).toMatch(/^src\/operations\/execute\.ts\n {4}.*\brun ×\d/m);
  expect(stdout.trim().split('\n').at(-1)).toMatch(/^\d+ files outside the sandbox$/);
}, 60_000);

test('npm run trace without an action prints its usage and exits with 2', async () => {
  await expect(trace()).rejects.toMatchObject({ code: 2, stdout: expect.stringContaining('npm run trace') });
}, 60_000);
