import { runOf, WITH_OTHERS } from './vitest.config.ts';

/** The rooms by themselves: no Redis, no browser, no other process. */
export default runOf('rooms', { without: WITH_OTHERS });
