/** One line of a kind within this time, in milliseconds. */
const EVERY_MS = 10_000;
/** Kinds that are kept in mind; what forgets them all is at worst said once more. */
const KINDS = 1_000;

/**
 * For what can go wrong a thousand times a second: answers whether `reason` is to be said now, with the `count` of
 * those that were left out since it was said last. Reasons that differ in numbers alone are one.
 */
export type Quiet = (reason: string) => { count?: number } | undefined;

/** `now` in milliseconds, from any beginning. */
export function createQuiet({ now = () => performance.now() }: { now?: () => number } = {}): Quiet {
  const said = new Map<string, { at: number; left: number }>();
  return (reason) => {
    const kind = reason.replace(/[\da-f]{16,}|\d+/g, '#');
    const before = said.get(kind);
    if (before && now() - before.at < EVERY_MS) {
      before.left += 1;
      return undefined;
    }
    if (said.size >= KINDS) said.clear();
    said.set(kind, { at: now(), left: 0 });
    return before && before.left > 0 ? { count: before.left } : {};
  };
}
