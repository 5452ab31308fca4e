/** One slice of a measurement: its figures, and the CPU share of other processes at the same time. */
export interface Slice {
  /** Values by the figure's name. */
  figures: Record<string, number>;
  /** Fraction of all processors used by other processes, from 0 to 1. */
  foreign: number;
}

export interface Spread {
  median: number;
  least: number;
  most: number;
}

export interface Summary {
  figures: Record<string, Spread>;
  kept: number;
  dropped: number;
  /** Whether too few slices were quiet. Then the figures are of all slices and less reliable. */
  isNoisy: boolean;
}

export const MAX_FOREIGN = 0.1;

/** Returns median and spread of the quiet slices, or of all slices if too few were quiet. */
export function summarize(slices: readonly Slice[], leastKept = 2): Summary {
  const quiet = slices.filter(({ foreign }) => foreign <= MAX_FOREIGN);
  const isNoisy = quiet.length < Math.min(leastKept, slices.length);
  const kept = isNoisy ? slices : quiet;
  const names = [...new Set(kept.flatMap(({ figures }) => Object.keys(figures)))];
  const figures = names.map((name) => [name, spreadOf(kept.flatMap(({ figures }) => figures[name] ?? []))]);
  return {
    figures: Object.fromEntries(figures),
    kept: kept.length,
    dropped: slices.length - kept.length,
    isNoisy,
  };
}

/**
 * Returns the ratios of a figure of one side to that of another one, in each round in which both slices were quiet, or in
 * all rounds if fewer than `leastKept` were.
 */
export function ratiosOf(
  figure: string,
  ours: readonly Slice[],
  theirs: readonly Slice[],
  leastKept = 2,
): number[] {
  const rounds = ours.flatMap((our, at) => {
    const their = theirs[at];
    if (their === undefined) return [];
    const ratio = (our.figures[figure] ?? Number.NaN) / (their.figures[figure] ?? Number.NaN);
    return [{ ratio, isQuiet: Math.max(our.foreign, their.foreign) <= MAX_FOREIGN }];
  });
  const quiet = rounds.filter(({ isQuiet }) => isQuiet);
  const kept = quiet.length < Math.min(leastKept, rounds.length) ? rounds : quiet;
  return kept.map(({ ratio }) => ratio);
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: median(sorted), least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN };
}

/** Returns the smallest value that is not exceeded by at least the fraction `part` of the values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

function median(sorted: readonly number[]): number {
  const half = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}
