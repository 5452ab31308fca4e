import { configDefaults, defineConfig } from 'vitest/config';
import { WaitingFirst } from './test/support/waiting-first.ts';

/** They replace a module of Node's, and so need modules of their own; for all others import has no side effect. */
export const APART = ['test/bot/middleware/transaction.test.ts', 'test/operations/storage-away.test.ts'];

/** Those that need Redis, a browser, or a process of the program. */
export const WITH_OTHERS = [
  'test/**/*.browser.test.ts',
  'test/**/*.redis.test.ts',
  'test/app.test.ts',
  'test/accounts/report-offers.test.ts',
  'test/operations/{drafts,executor}.test.ts',
  // People and the bot in a world of their own.
  'test/journeys/*.test.ts',
  'test/sandbox/**/*.test.ts',
  'test/main.test.ts',
];

/** What holds for every run. */
export const COMMON = {
  // More than most machines have processors, for those files that only wait.
  maxWorkers: 4,
  // Most of what is made lives as long as its test: collected less often.
  execArgv: ['--max-semi-space-size=64'],
  sequence: { sequencer: WaitingFirst },
  // All of a file at once: they wait for others more than they compute.
  maxConcurrency: 12,
  // Transforms are kept for the next run, in node_modules.
  experimental: { fsModuleCache: true },
  // Far above what any test needs: on a busy machine slow is not broken.
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    ...COMMON,
    projects: [
      { extends: true, test: { name: 'apart', include: APART } },
      {
        extends: true,
        test: {
          // Files share the modules of their worker. A second project would bring workers that begin with nothing.
          name: 'whole',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...APART],
          globalSetup: 'test/support/around.ts',
        },
      },
    ],
  },
});
