// Counters of what happened on each day (UTC).

import { isDeepStrictEqual } from 'node:util';
import { DAY_MS, utcDay } from './clock.ts';
import { keyOf, type StoredData } from './records.ts';
import type { Increment, Storage } from './storage.ts';

/** Longest period that callers ask for, in days. */
export const COUNTED_DAYS = 30;

const TTL_MS = (COUNTED_DAYS + 2) * DAY_MS;

/** Whole numbers by name. */
type Figures = Readonly<Record<string, number>>;

/** Contribution of one record to the figures of the day that contains `at` (epoch milliseconds). */
export interface Contribution {
  at: number;
  figures: Figures;
}

/** Describes the counters of each day. */
export function defineDailyFigures<const Kind extends string>(kind: Kind, content: string) {
  return {
    keys: `${kind}:date` as const,
    content,
    expiry: `${COUNTED_DAYS + 2} days`,
    anonymous: true,
  } as const satisfies StoredData;
}

/**
 * Creates the figures of days. A record's write carries the increments, so the record and the figures change in one step.
 * A repeated write counts once. An increment that Redis rejects is lost.
 *
 * @example
 * const increments = figures.incrementsOf(contributionOf(before), contributionOf(after));
 * await records.replace(key, stored, content, lifetime, increments);
 */
export function createDailyFigures(
  { storage }: { storage: Pick<Storage, 'counters'> },
  { keys }: ReturnType<typeof defineDailyFigures>,
) {
  const keyAt = (at: number) => keyOf(keys, { date: utcDay(at) });

  function incrementsFor({ at, figures }: Contribution, sign: 1 | -1): Increment[] {
    const key = keyAt(at);
    return Object.entries(figures).map(([counter, by]) => ({ key, counter, by: sign * by, ttlMs: TTL_MS }));
  }

  return {
    /** Returns the increments that replace a record's contribution with another one. */
    incrementsOf(before: Contribution | undefined, after: Contribution | undefined): Increment[] {
      if (isDeepStrictEqual(before, after)) return [];
      return [...(before ? incrementsFor(before, -1) : []), ...(after ? incrementsFor(after, 1) : [])];
    },
    /** Returns the sums for the day that contains `at` and the days before it, `days` in all. */
    async during(at: number, days: number): Promise<Figures> {
      const keysOfDays = Array.from({ length: days }, (_, ago) => keyAt(at - ago * DAY_MS));
      const sums: Record<string, number> = {};
      for (const figures of await Promise.all(keysOfDays.map((key) => storage.counters(key))))
        for (const [name, value] of Object.entries(figures)) sums[name] = (sums[name] ?? 0) + value;
      return sums;
    },
  };
}
