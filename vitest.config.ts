import { configDefaults, defineConfig } from 'vitest/config';
import { WaitingFirst } from './test/support/waiting-first.ts';

/** They replace a module of Node's, and so need modules of their own; for all others import has no side effect. */
const APART = [
  'test/bot/middleware/transaction.test.ts',
  'test/notifications/outbox/kills.test.ts',
  'test/operations/storage-away.test.ts',
];

/** Those that need Redis, a browser, or a process of the program. */
export const WITH_OTHERS = [
  'test/**/*.browser.test.ts',
  'test/**/*.redis.test.ts',
  'test/app.test.ts',
  'test/accounts/report-offers.test.ts',
  'test/operations/{drafts,execute}.test.ts',
  // People and the bot in a world of their own.
  'test/journeys/*.test.ts',
  'test/sandbox/**/*.test.ts',
  'test/main.test.ts',
  'test/{event-kills,forge}/*.test.ts',
];

/** What holds for every run. */
const COMMON = {
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

/** A run of all tests but some, whose files share the modules of their worker; each project begins with workers of its own. */
export function runOf(
  name: string,
  { without = [], around = [] }: { without?: string[]; around?: string[] },
) {
  const exclude = [...configDefaults.exclude, ...APART, ...without];
  const shared = { name, isolate: false, include: ['test/**/*.test.ts'], exclude, globalSetup: around };
  return defineConfig({
    test: {
      ...COMMON,
      projects: [
        { extends: true, test: { name: 'apart', include: APART } },
        { extends: true, test: shared },
      ],
    },
  });
}

export default runOf('whole', { around: ['test/support/around.ts'] });
