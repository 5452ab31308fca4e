import type { Storage } from '../../src/platform/storage.ts';

const moment = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Returns a view of a storage that delays each result by a moment and counts the calls that start while none is
 * pending. On one Redis connection, these would be round trips.
 */
export function countingRoundTrips(storage: Storage): { storage: Storage; roundTrips: () => number } {
  let count = 0;
  let unanswered = 0;

  const counted =
    <Given extends unknown[], Answer>(run: (...given: Given) => Promise<Answer>) =>
    async (...given: Given): Promise<Answer> => {
      if (unanswered === 0) count += 1;
      unanswered += 1;
      try {
        return await run(...given);
      } finally {
        await moment();
        unanswered -= 1;
        // Lets all results of a round trip arrive before a caller continues.
        await moment();
      }
    };
  const all = <Port extends object>(port: Port): Port =>
    Object.fromEntries(
      Object.entries(port).map(([name, value]) => [
        name,
        typeof value === 'function' ? counted(value) : all(value),
      ]),
    ) as Port;

  return { storage: all(storage), roundTrips: () => count };
}
