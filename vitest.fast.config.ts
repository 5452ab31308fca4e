import { runOf, WITH_OTHERS } from './vitest.config.ts';

/** The modules by themselves: no Redis, no browser, no other process. */
export default runOf('modules', { without: WITH_OTHERS });
