// Counters of what happened on each day (UTC).

import { DAY_MS } from './clock.ts';
import { keyOf, type StoredData } from './records.ts';
import type { Increment, Storage } from './storage.ts';

/** Longest period that callers ask for, in days. */
export const COUNTED_DAYS = 30;

const TTL_MS = (COUNTED_DAYS + 2) * DAY_MS;

/** Whole numbers by name. */
export type Figures = Readonly<Record<string, number>>;

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
 * Crashes, repeated calls and concurrent writes therefore count each record once.
 *
 * @example
 * const increments = figures.incrementsOf(contributionOf(before), contributionOf(after));
 * await records.replace(key, stored, content, lifetime, increments);
 */
export function createDailyFigures(
  { storage }: { storage: Pick<Storage, 'counters'> },
  { keys }: ReturnType<typeof defineDailyFigures>,
) {
  const keyAt = (at: number) => keyOf(keys, { date: new Date(at).toISOString().slice(0, 10) });

  return {
    /** Returns the increments that replace a record's contribution with another one. */
    incrementsOf(before: Contribution | undefined, after: Contribution | undefined): Increment[] {
      const changes = new Map<string, Increment>();
      const apply = (contribution: Contribution | undefined, sign: 1 | -1) => {
        const key = contribution && keyAt(contribution.at);
        for (const [counter, amount] of Object.entries(contribution?.figures ?? {})) {
          const id = `${key} ${counter}`;
          const by = (changes.get(id)?.by ?? 0) + sign * amount;
          if (key !== undefined) changes.set(id, { key, counter, by, ttlMs: TTL_MS });
        }
      };
      apply(before, -1);
      apply(after, 1);
      return [...changes.values()].filter(({ by }) => by !== 0);
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
