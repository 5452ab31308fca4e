import { INTEGRATION_TESTS } from './test/support/test-files.ts';
import { defineRun } from './vitest.config.ts';

/** Module tests: no Redis, no browser, no other process. */
export default defineRun('modules', { exclude: INTEGRATION_TESTS });
