import { configDefaults, defineConfig } from 'vitest/config';

/** They replace a module of Node's, and so need modules of their own; for all others import has no side effect. */
const APART = ['test/bot/middleware/transaction.test.ts', 'test/operations/storage-away.test.ts'];
const BROWSER = ['test/**/*.browser.test.ts'];
const REDIS = [
  'test/**/*.redis.test.ts',
  'test/app.test.ts',
  'test/accounts/report-offers.test.ts',
  'test/operations/{drafts,executor}.test.ts',
];
/** People and the bot in a world of their own, some of them on Redis; they wait for the bot's own pauses. */
const JOURNEYS = ['test/journeys/*.test.ts'];
/** The simulated service and Telegram themselves. */
const SANDBOX = ['test/sandbox/**/*.test.ts'];
/** They start the program as it is started outside, and wait for it. */
const PROCESSES = ['test/main.test.ts', 'test/sandbox/{npm,run}.test.ts'];

/** All that isn't a room by itself. */
const WHOLE = [...REDIS, ...JOURNEYS, ...SANDBOX, ...PROCESSES];

/** Modules are shared by the files of a project, and projects begin in the order of their names. */
function project(
  name: string,
  settings: { include: string[]; exclude?: string[]; globalSetup?: string[]; maxConcurrency?: number },
) {
  return { extends: true as const, test: { name, isolate: false, ...settings } };
}

export default defineConfig({
  test: {
    // Most tests wait for others more than they compute.
    maxWorkers: 3,
    // Journeys wait for minutes of the bot's: all of a file at once.
    maxConcurrency: 12,
    // Transforms are kept for the next run, in node_modules.
    experimental: { fsModuleCache: true },
    // Far above what any test needs: on a busy machine slow is not broken.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'apart', include: APART } },
      // More pages at once only wait for the processor longer.
      project('browser', {
        include: BROWSER,
        globalSetup: ['test/support/chromium-server.ts'],
        maxConcurrency: 3,
      }),
      project('rooms', {
        include: ['test/**/*.test.ts'],
        exclude: [...configDefaults.exclude, ...APART, ...BROWSER, ...WHOLE],
      }),
      // Each project brings workers that begin with nothing: what isn't run by itself shares one.
      project('whole', {
        include: WHOLE,
        exclude: [...configDefaults.exclude, ...BROWSER],
        globalSetup: ['test/support/redis-server.ts', 'test/support/bundles.ts'],
      }),
    ],
  },
});
