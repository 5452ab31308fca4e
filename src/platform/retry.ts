import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from './log.ts';

const WAITS_MS = [100, 300, 1_000, 3_000, 5_000, 10_000, 10_000, 30_000, 60_000];

/**
 * Executes a write whose data would otherwise be lost. Retries for some minutes while the storage is unavailable, then
 * rejects. `about`: fields of the log line.
 */
export async function retryWrite<T>(
  write: () => Promise<T>,
  { log, about }: { log: Log; about: object },
): Promise<T> {
  for (const wait of WAITS_MS) {
    try {
      return await write();
    } catch (err) {
      log.error({ ...about, err }, 'what is known could not be stored; trying again');
      await delay(wait);
    }
  }
  return write();
}

/**
 * Returns the result of `work`, or the result of `late` after `ms`: `undefined` by default. `late` may throw. The work
 * itself continues. No timer remains, and none prevents the process from exiting.
 */
export function orTimeout<T>(work: Promise<T>, ms: number): Promise<T | undefined>;
export function orTimeout<T, Late>(work: Promise<T>, ms: number, late: () => Late): Promise<T | Late>;
export async function orTimeout<T, Late>(
  work: Promise<T>,
  ms: number,
  late?: () => Late,
): Promise<T | Late | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Late | undefined>((resolve, reject) => {
    timer = setTimeout(() => {
      try {
        resolve(late?.());
      } catch (error) {
        reject(error);
      }
    }, ms);
    timer.unref();
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the delay before an attempt, counted from 0. The last delay repeats. */
export function delayBefore(attempt: number, delaysMs: readonly [number, ...number[]]): number {
  return delaysMs[Math.min(attempt, delaysMs.length - 1)] ?? delaysMs[0];
}
