import { defineConfig } from 'vitest/config';

/** Regenerates the fixture of stored data: `npx vitest run --config vitest.fixtures.config.ts`. */
export default defineConfig({
  test: {
    include: ['test/fixtures/write-stored-data.ts'],
    globalSetup: ['test/support/around.ts'],
    testTimeout: 120_000,
  },
});
