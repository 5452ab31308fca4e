const SECOND_MS = 1_000;
/** So that names nobody has can't fill the memory. */
const MAX_NAMES = 10_000;

/** Counts what comes under each name in a second, in memory. Returns whether there is room for one more. */
export function createRate({ perSecond, now }: { perSecond: number; now: () => number }) {
  const counts = new Map<string, number>();
  let second = 0;
  return (name: string): boolean => {
    const current = Math.floor(now() / SECOND_MS);
    if (current !== second || counts.size >= MAX_NAMES) counts.clear();
    second = current;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= perSecond;
  };
}
