import { defineRun, INTEGRATION_TESTS } from './vitest.config.ts';

/** Module tests: no Redis, no browser, no other process. */
export default defineRun('modules', { exclude: INTEGRATION_TESTS });
