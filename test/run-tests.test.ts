import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Report, type Run, runTests } from '../scripts/run-tests.ts';

const ROOT = join(import.meta.dirname, '..');
const [MAIN, MEMORY] = ['test/main.test.ts', 'test/platform/log.test.ts'];

type File = Report['testResults'][number];
type Statuses = Record<string, string>;

/** Creates the report of a file from the status of each test. `message` is the error of the file itself. */
function fileOf(path: string, statuses: Statuses, message = ''): File {
  const assertionResults = Object.entries(statuses).map(([fullName, status]) => ({
    ...{ fullName, status },
    failureMessages: status === 'failed' ? ['expected 1 to be 2'] : [],
  }));
  const hasFailed = message !== '' || Object.values(statuses).includes('failed');
  return { name: join(ROOT, path), status: hasFailed ? 'failed' : 'passed', message, assertionResults };
}

/** Creates a run with these files. */
function runOf(testResults: File[], unhandledErrors: string[] = []): Run {
  const isPassed = testResults.every(({ status }) => status === 'passed') && unhandledErrors.length === 0;
  return { code: isPassed ? 0 : 1, report: { testResults, unhandledErrors } };
}

/** Runs tests with one planned run after the other. Returns the outcome, and the files of each run. */
async function outcomeOf(...runs: Run[]) {
  const asked: (string[] | undefined)[] = [];
  const outcome = await runTests(async (files) => {
    asked.push(files?.map((file) => file.replace(`${ROOT}/`, '')));
    return runs[asked.length - 1] ?? { code: 1 };
  });
  return { ...outcome, asked };
}

const FAILED = { one: 'failed', two: 'passed', three: 'skipped' };
const PASSED = { ...FAILED, one: 'passed' };
const FAILED_LINE = `FAILED ${MAIN}: one\nexpected 1 to be 2`;

test('does not repeat tests that passed', async () => {
  const outcome = await outcomeOf(runOf([fileOf(MAIN, PASSED), fileOf(MEMORY, PASSED)]));
  expect(outcome).toEqual({ passed: 4, failed: 0, skipped: 2, lines: [], asked: [undefined] });
});

test('repeats a failed integration test file alone, and counts each test once', async () => {
  const first = runOf([fileOf(MAIN, FAILED), fileOf('test/app.test.ts', PASSED)]);
  const outcome = await outcomeOf(first, runOf([fileOf(MAIN, PASSED)]));
  const lines = [`FLAKY ${MAIN}: one`];
  expect(outcome).toEqual({ passed: 4, failed: 0, skipped: 2, lines, asked: [undefined, [MAIN]] });
});

test('does not repeat a failed file that runs in memory', async () => {
  const outcome = await outcomeOf(runOf([fileOf(MEMORY, FAILED)]));
  expect(outcome).toMatchObject({ passed: 1, failed: 1, skipped: 1, asked: [undefined] });
  expect(outcome.lines).toEqual([`FAILED ${MEMORY}: one\nexpected 1 to be 2`]);
});

test('counts a test as failed if it fails again', async () => {
  const outcome = await outcomeOf(runOf([fileOf(MAIN, FAILED)]), runOf([fileOf(MAIN, FAILED)]));
  expect(outcome).toMatchObject({ passed: 1, failed: 1, lines: [FAILED_LINE] });
});

test('counts a test as failed if it fails only when it is repeated', async () => {
  const again = { ...FAILED, one: 'passed', two: 'failed' };
  const outcome = await outcomeOf(runOf([fileOf(MAIN, FAILED)]), runOf([fileOf(MAIN, again)]));
  const lines = [`FAILED ${MAIN}: two\nexpected 1 to be 2`, `FLAKY ${MAIN}: one`];
  expect(outcome).toMatchObject({ passed: 1, failed: 1, lines });
});

test.each([
  ['that can’t be loaded', {}],
  ['whose hook fails', { one: 'skipped', two: 'skipped', three: 'skipped' }],
])('repeats a file %s', async (_, statuses) => {
  const first = runOf([fileOf(MAIN, statuses, 'the hook failed')]);
  expect(await outcomeOf(first, runOf([fileOf(MAIN, PASSED)]))).toMatchObject({
    ...{ passed: 2, failed: 0, skipped: 1 },
    lines: [`FLAKY ${MAIN}: (file)`],
  });
  const lines = [`FAILED ${MAIN}: (file)\nthe hook failed`];
  expect(await outcomeOf(first, first)).toMatchObject({ passed: 0, failed: 1, lines });
});

describe('fails', () => {
  test('if the runner crashes without a report', async () => {
    const outcome = await outcomeOf({ code: null });
    expect(outcome).toMatchObject({ passed: 0, failed: 1, lines: ['FAILED run: no report, exit code null'] });
  });

  test('if the repeated run crashes, with the results of the first one', async () => {
    const outcome = await outcomeOf(runOf([fileOf(MAIN, FAILED)]), { code: 1 });
    const lines = ['FAILED repeated run: no report, exit code 1', FAILED_LINE];
    expect(outcome).toMatchObject({ passed: 1, failed: 2, lines });
  });

  test('if the runner fails although all tests passed', async () => {
    const outcome = await outcomeOf({ ...runOf([fileOf(MAIN, PASSED)]), code: 1 });
    expect(outcome).toMatchObject({ failed: 1, lines: ['FAILED run: exit code 1 without a failed test'] });
  });

  test('if an error occurred outside of any test, also beside a flaky one', async () => {
    const first = runOf([fileOf(MAIN, FAILED)], ['Error: in the background']);
    const outcome = await outcomeOf(first, runOf([fileOf(MAIN, PASSED)]));
    const lines = ['FAILED run: Error: in the background', `FLAKY ${MAIN}: one`];
    expect(outcome).toMatchObject({ passed: 2, failed: 1, lines });
  });
});
