/** What happened within the last second, however much it is. */
export interface SlidingSecond {
  /** Forgets what is older than a second, and says how much is left. */
  count(now: number): number;
  /** Since when the oldest of it counts; undefined where there is none. */
  oldest(): number | undefined;
  add(now: number): void;
}

const SECOND_MS = 1_000;

export function createSlidingSecond(): SlidingSecond {
  let times: number[] = [];
  // What lies before it is over, and cut off once it is the larger part.
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
