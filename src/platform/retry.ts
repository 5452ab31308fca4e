import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from './log.ts';

const WAITS_MS = [100, 300, 1_000, 3_000, 5_000, 10_000, 10_000, 30_000, 60_000];

/**
 * Writes down what is known and would be lost: again for some minutes while the storage is away. Rejects after that.
 * `about` is for the log.
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
 * The answer of `work`, or what `late` makes of its absence once `ms` have passed: `undefined` unless it is given; it
 * may throw. The work itself goes on. No timer is left behind, and none keeps the process alive.
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
