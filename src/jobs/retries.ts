import type { JobOptions } from './jobs.ts';

export const JOB: Required<JobOptions> = { concurrency: 50, tries: 10 };

/** How long to wait after the `failures`-th failure in a row, in milliseconds: from a second to a minute. */
export function retryDelayMs(failures: number): number {
  return Math.min(1_000 * 2 ** (failures - 1), 60_000);
}
