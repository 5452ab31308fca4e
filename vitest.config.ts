import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/redis-server.ts'],
    // Most tests wait for others more than they compute.
    maxWorkers: 3,
    // Far above what any test needs: on a busy machine slow is not broken.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
