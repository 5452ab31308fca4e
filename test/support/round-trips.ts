import type { Storage } from '../../src/storage/storage.ts';

const moment = () => new Promise((resolve) => setImmediate(resolve));

/**
 * A view of a storage that answers each call a moment later, and counts how often it is asked while nothing is
 * unanswered: what Redis would count as round trips of one connection.
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
        // What is answered together is there before anybody goes on.
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
