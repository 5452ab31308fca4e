import { configDefaults, defineConfig } from 'vitest/config';

/** They replace a module of Node's, and so need modules of their own; for all others import has no side effect. */
const APART = ['test/bot/middleware/transaction.test.ts', 'test/operations/storage-away.test.ts'];
const BROWSER = ['test/**/*.browser.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['test/support/redis-server.ts'],
    // Most tests wait for others more than they compute.
    maxWorkers: 3,
    // Far above what any test needs: on a busy machine slow is not broken.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'rooms',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...APART, ...BROWSER],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'apart', include: APART } },
      {
        extends: true,
        test: {
          name: 'browser',
          include: BROWSER,
          globalSetup: ['test/support/chromium-server.ts'],
          // More pages at once only wait for the processor longer.
          maxConcurrency: 3,
          isolate: false,
        },
      },
    ],
  },
});
