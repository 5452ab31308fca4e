const SECOND_MS = 1_000;
/** Longer than the answer to a call takes. */
const KEPT_MS = 15_000;

/** When something happened, lately, in epoch milliseconds. */
export interface RecentTimes {
  note(at: number): void;
  /** How many there are in the second up to `end`. */
  countUpTo(end: number): number;
  /** From when on, if nothing is added, there are fewer than `limit` in a second. */
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
