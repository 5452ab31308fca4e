import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { Stryker } from '@stryker-mutator/core';

/*
 * Changes source files in many small ways, one at a time, and runs the module tests of their folder against each change.
 * Prints the changes that no test notices, and the score of each file: the percentage of noticed changes.
 *
 *   mutate.ts FILE…   files of one folder, or lines of a file: src/platform/leases.ts:50-83
 */

/** Lowest score in percent. Below it, the exit code is 1. */
const LOWEST_SCORE = 88;

const files = process.argv.slice(2);
const [folder, ...others] = new Set(files.map(posix.dirname));
if (folder === undefined || others.length > 0) throw new Error('give source files of one folder');

// For vitest.mutate.config.ts. The option `testFiles` would ignore changes of constants.
process.env.TEST_FOLDER = folder.replace(/^src\b/, 'test');

await new Stryker({
  mutate: files,
  testRunner: 'vitest',
  // Vitest finds no related tests of a changed file.
  vitest: { configFile: 'vitest.mutate.config.ts', related: false },
  // Most are texts of the log. In states and kinds, the compiler finds a wrong one.
  mutator: { excludedMutations: ['StringLiteral'] },
  // Without this file, Stryker doesn't call TypeScript. Version 7 lacks the API that Stryker needs.
  tsconfigFile: 'none',
  disableTypeChecks: false,
  tempDirName: join(tmpdir(), 'mutate'),
  cleanTempDir: 'always',
  reporters: ['progress-append-only', 'clear-text'],
  clearTextReporter: { logTests: false, reportTests: false },
  thresholds: { high: LOWEST_SCORE, low: LOWEST_SCORE, break: LOWEST_SCORE },
  // Far above what a change slows down, so that a busy machine isn't taken for an endless loop.
  timeoutMS: 20_000,
}).runMutationTest();
