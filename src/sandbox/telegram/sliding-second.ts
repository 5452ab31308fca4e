/** Counter of events within the last second. */
export interface SlidingSecond {
  /** Drops events older than a second and returns the number of remaining ones. `now` is in epoch milliseconds. */
  count(now: number): number;
  /** Returns the time of the oldest event, or undefined if there is none. */
  oldest(): number | undefined;
  add(now: number): void;
}

const SECOND_MS = 1_000;

export function createSlidingSecond(): SlidingSecond {
  let times: number[] = [];
  // Index of the oldest event that counts. Earlier entries are removed once they are the majority.
  let first = 0;
  return {
    count(now) {
      while (now - (times[first] ?? now) >= SECOND_MS) first += 1;
      if (first * 2 > times.length) {
        times = times.slice(first);
        first = 0;
      }
      return times.length - first;
    },
    oldest: () => times[first],
    add: (now) => void times.push(now),
  };
}
