const SECOND_MS = 1_000;
/** Maximum number of counted names, so that invented names can't fill the memory. */
const MAX_NAMES = 10_000;

/** Creates an in-memory rate limiter. It counts a call under its name and returns whether the call is allowed. */
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
