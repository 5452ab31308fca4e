import { configDefaults, defineConfig } from 'vitest/config';
import { ISOLATED } from './test/support/test-files.ts';
import { WaitingFirst } from './test/support/waiting-first.ts';

/** Options of every run. */
const COMMON = {
  // More workers than most machines have processors, because many files mostly wait.
  maxWorkers: 4,
  // Most objects live as long as their test. A large young generation collects garbage less often.
  execArgv: ['--max-semi-space-size=64'],
  sequence: { sequencer: WaitingFirst },
  // Concurrent tests of a file run all at once, because they wait more than they compute.
  maxConcurrency: 12,
  // Caches transformed modules in node_modules for the next run.
  experimental: { fsModuleCache: true },
  // Far above what any test needs, so that a busy machine fails no test.
  testTimeout: 300_000,
  hookTimeout: 300_000,
};

/**
 * Defines a run of all tests without those that `exclude` matches. Files of one worker share their modules, except
 * isolated ones, which form a project of their own.
 */
export function defineRun(
  name: string,
  { exclude = [], globalSetup = [] }: { exclude?: string[]; globalSetup?: string[] },
) {
  const shared = {
    name,
    isolate: false,
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...ISOLATED, ...exclude],
    globalSetup,
  };
  return defineConfig({
    test: {
      ...COMMON,
      projects: [
        { extends: true, test: { name: 'isolated', include: ISOLATED } },
        { extends: true, test: shared },
      ],
    },
  });
}

export default defineRun('all', { globalSetup: ['test/support/around.ts'] });
