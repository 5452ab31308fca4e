import { setTimeout as wait } from 'node:timers/promises';

/** Resolves after `ms`. Rejects as soon as `signal` aborts. */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;

export const pause: Pause = (ms, signal) => wait(ms, undefined, { signal });
