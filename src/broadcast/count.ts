import type { ReadAudience } from './audience.ts';
import type { Audience } from './broadcast.ts';

/** So long a count is as good as new: who asks for it again, since it took long, gets it. */
const KEPT_MS = 30_000;

/** How many get it, counted once for all who ask meanwhile. Rejects where they can't be read. */
export function createCount({ readAudience, now }: { readAudience: ReadAudience; now: () => number }) {
  let last: { what: string; until: number; count: Promise<number> } | undefined;

  async function counted(audience: Audience, admin: number): Promise<number> {
    let count = 0;
    for await (const users of readAudience(audience, admin)) count += users.length;
    return count;
  }

  return (audience: Audience, admin: number): Promise<number> => {
    const what = JSON.stringify([audience, admin]);
    if (last?.what === what && now() < last.until) return last.count;
    const count = counted(audience, admin);
    const mine = { what, until: Number.POSITIVE_INFINITY, count };
    last = mine;
    count.then(
      () => {
        mine.until = now() + KEPT_MS;
      },
      () => {
        mine.until = 0;
      },
    );
    return count;
  };
}
