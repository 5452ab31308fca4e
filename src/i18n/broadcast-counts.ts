import { counted } from './formats.ts';
import type { Words } from './texts.ts';

/** Delivery results of a broadcast. */
export const RESULTS = [
  'sent',
  'blocked',
  'deactivated',
  'unreachable',
  'failed',
  'unknown',
  'skipped',
] as const;
export type Result = (typeof RESULTS)[number];

/** Renders one line per result with its count. Omits zero counts, except of *sent*. */
export function resultLines(words: Words, counts: Readonly<Record<Result, number>>): string[] {
  return RESULTS.filter((what) => what === 'sent' || counts[what] > 0).map((what) =>
    words.html('progress-count', { what, count: counted(counts[what], words.language) }),
  );
}

/** Converts milliseconds to minutes, rounded up, at least 1. */
export const minutesOf = (ms: number): number => Math.max(1, Math.ceil(ms / 60_000));
