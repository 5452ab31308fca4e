import { configDefaults, defineConfig } from 'vitest/config';
import { INTEGRATION_TESTS } from './test/support/test-files.ts';

/**
 * Module tests of one folder, for `npm run mutate`. Stryker runs them in worker threads, which refuse the options of
 * `vitest.config.ts`.
 */
export default defineConfig({
  test: {
    include: [`${process.env.TEST_FOLDER}/**/*.test.ts`],
    exclude: [...configDefaults.exclude, ...INTEGRATION_TESTS],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
