import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isIntegrationTest } from '../test/support/test-files.ts';

/*
 * Runs tests for `.ci/run`, and their failed integration tests once more. Appends the outcome to a file:
 *
 *   run-tests.ts FILE COMMAND…   COMMAND is a command that runs Vitest and can take further options
 *   run-tests.ts FILE            prints the outcomes of all runs, and exits with 1 if a test failed
 */

/** The part of Vitest's JSON report that is used here, with the addition of `json-reporter.ts`. */
export interface Report {
  testResults: FileReport[];
  /** Errors outside of any test. */
  unhandledErrors: string[];
}

interface FileReport {
  /** Absolute path. */
  name: string;
  status: string;
  message: string;
  assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
}

/** A run of Vitest. There is no report if it crashed. */
export interface Run {
  code: number | null;
  report?: Report;
}

export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  /** Failed and flaky tests. */
  lines: string[];
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const pathOf = (file: FileReport) => relative(ROOT, file.name);

/** Returns the failed tests of a file. A file that couldn't be loaded, or whose hook failed, counts as one. */
function failuresOf({ status, message, assertionResults }: FileReport) {
  const failures = assertionResults
    .filter((test) => test.status === 'failed')
    .map(({ fullName, failureMessages }) => ({ test: fullName, reason: failureMessages.join('\n') }));
  const isOutsideOfTests = message !== '' || failures.length === 0;
  return status === 'failed' && isOutsideOfTests
    ? [...failures, { test: '(file)', reason: message }]
    : failures;
}

/**
 * Runs tests, and then, alone, the failed files that need other processes, Redis or Chromium. Tests that pass then count
 * as passed and are reported as flaky. Other files aren't repeated, because a test that fails in memory is a real race.
 * @param run runs all tests, or the given files
 */
export async function runTests(run: (files?: string[]) => Promise<Run>): Promise<Outcome> {
  const first = await run();
  const files = first.report?.testResults ?? [];
  const suspects = files.filter((file) => failuresOf(file).length > 0 && isIntegrationTest(pathOf(file)));
  const lines = faultsOf(first).map((fault) => `FAILED run: ${fault}`);
  const outcome: Outcome = { passed: 0, failed: lines.length, skipped: 0, lines };
  const again = suspects.length > 0 ? await run(suspects.map(({ name }) => name)) : undefined;
  if (again) lines.push(...faultsOf(again).map((fault) => `FAILED repeated run: ${fault}`));
  outcome.failed = lines.length;
  const repeated = new Map(again?.report?.testResults.map((file) => [file.name, file]));

  for (const file of files) {
    const last = (suspects.includes(file) && repeated.get(file.name)) || file;
    const failures = failuresOf(last);
    const count = (...statuses: string[]) =>
      last.assertionResults.filter(({ status }) => statuses.includes(status)).length;
    outcome.passed += count('passed');
    outcome.skipped += count('skipped', 'pending', 'todo', 'disabled');
    outcome.failed += failures.length;
    lines.push(...failures.map(({ test, reason }) => `FAILED ${pathOf(file)}: ${test}\n${reason}`));
    if (last === file) continue;
    const stillFailed = new Set(failures.map(({ test }) => test));
    for (const { test } of failuresOf(file))
      if (!stillFailed.has(test)) lines.push(`FLAKY ${pathOf(file)}: ${test}`);
  }
  return outcome;
}

/** Returns what went wrong in a run outside of its files. */
function faultsOf({ code, report }: Run): string[] {
  if (!report) return [`no report, exit code ${code}`];
  const isExplained =
    report.unhandledErrors.length > 0 || report.testResults.some(({ status }) => status === 'failed');
  return code !== 0 && !isExplained ? [`exit code ${code} without a failed test`] : report.unhandledErrors;
}

/** Runs Vitest by a command with a report in `file`. */
async function runVitest([program = '', ...args]: string[], file: string): Promise<Run> {
  rmSync(file, { force: true });
  const options = [
    '--reporter=default',
    '--reporter=./scripts/json-reporter.ts',
    `--outputFile.json=${file}`,
  ];
  const child = spawn(program, [...args, ...options], { stdio: 'inherit', cwd: ROOT });
  const [code] = await once(child, 'exit');
  return { code, ...(existsSync(file) && { report: JSON.parse(readFileSync(file, 'utf8')) as Report }) };
}

/** Prints the outcomes in `file`. Returns the exit code. */
function printOutcomes(file: string): number {
  const outcomes = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Outcome);
  const sum = (key: 'passed' | 'failed' | 'skipped') => outcomes.reduce((total, one) => total + one[key], 0);
  for (const line of outcomes.flatMap(({ lines }) => lines)) process.stdout.write(`${line}\n`);
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`);
  return sum('failed') === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file = '', ...command] = process.argv.slice(2);
  if (command.length === 0) {
    process.exitCode = printOutcomes(file);
  } else {
    const alone = ['npx', 'vitest', 'run', '--no-file-parallelism'];
    const outcome = await runTests((files) =>
      runVitest(files ? [...alone, ...files] : command, `${file}.report`),
    );
    writeFileSync(file, `${JSON.stringify(outcome)}\n`, { flag: 'a' });
    process.exitCode = outcome.failed === 0 ? 0 : 1;
  }
}
