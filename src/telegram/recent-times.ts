const SECOND_MS = 1_000;
/** Retention of times. Longer than a call takes. */
const KEPT_MS = 15_000;

/** Times of recent events, in epoch milliseconds. */
export interface RecentTimes {
  note(at: number): void;
  /** Returns the number of events in the second up to `end`. */
  countUpTo(end: number): number;
  /** Returns the time from which a second contains fewer than `limit` events, if none is added. */
  fewerFrom(limit: number, now: number): number;
}

export function createRecentTimes(): RecentTimes {
  const times: number[] = [];
  return {
    note(at) {
      const first = times.findIndex((time) => at - time < KEPT_MS);
      times.splice(0, first < 0 ? times.length : first);
      times.push(at);
    },
    countUpTo: (end) => times.filter((at) => at <= end && end - at < SECOND_MS).length,
    fewerFrom(limit, now) {
      const last = times[times.length - limit];
      return last === undefined ? now : Math.max(now, last + SECOND_MS);
    },
  };
}
