import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const trace = (...action: string[]) =>
  run(process.execPath, ['--import', 'tsx', 'scripts/trace.ts', ...action], { maxBuffer: 2 ** 22 });

/** A function that each action executes, and its file. */
const EXECUTED: Record<string, RegExp> = {
  confirm: /^src\/operations\/execute\.ts\n {4}.*\brun ×\d/m,
  start: /^src\/features\/menu\.ts\n/m,
  menu: /^src\/features\/menu\.ts\n/m,
  event: /^src\/account-events\/inbox\.ts\n/m,
};

test.each(Object.entries(EXECUTED))(
  'lists the files and functions that %s executes',
  async (action, executed) => {
    const { stdout } = await trace(action);
    expect(stdout).toMatch(executed);
    expect(stdout.trim().split('\n').at(-1)).toMatch(/^\d+ files outside the sandbox$/);
  },
);

test('prints its usage with each action and exits with 2 if none is given', async () => {
  const { code, stdout } = await trace().catch((error) => error);
  expect(code).toBe(2);
  const actions = [...stdout.matchAll(/npm run trace -- (\w+)/g)].map(([, action]) => action);
  expect(actions).toEqual(Object.keys(EXECUTED));
});
