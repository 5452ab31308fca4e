import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';

const WAITS_MS = [100, 300, 1_000, 3_000, 5_000, 10_000, 10_000, 30_000, 60_000];

/**
 * Writes down what is known and would be lost: again for some minutes while the storage is away. Given up, the
 * operation is found as an orphan, and its outcome by evidence.
 */
export async function retryWrite<T>(
  write: () => Promise<T>,
  { log, operation }: { log: Log; operation: string },
): Promise<T> {
  for (const wait of WAITS_MS) {
    try {
      return await write();
    } catch (err) {
      log.error({ err, operation }, 'an outcome could not be stored; trying again');
      await delay(wait);
    }
  }
  return write();
}
