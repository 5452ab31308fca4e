import { counted } from './formats.ts';
import type { Words } from './texts.ts';

/** What becomes of who is to get a broadcast. */
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

/** Of how many each became, a line each; of none only *sent* is said. */
export function resultLines(words: Words, counts: Readonly<Record<Result, number>>): string[] {
  return RESULTS.filter((what) => what === 'sent' || counts[what] > 0).map((what) =>
    words.html('progress-count', { what, count: counted(counts[what], words.language) }),
  );
}

/** How many minutes so many milliseconds are, the last of them begun. */
export const minutesOf = (ms: number): number => Math.max(1, Math.ceil(ms / 60_000));
