import { randomUUID } from 'node:crypto';
import type { Storage } from './storage.ts';

/** In milliseconds: a process that dies over its work keeps others from it for `lease` at most. */
const TIMINGS = { lease: 8_000, renew: 2_500 };
const OVER = '';

export interface Turns {
  /**
   * Does `work` unless somebody else, here or on another replica, is at it under the same key: `busy`. With `keptMs`
   * it is done once: who comes within that time after it hears `over`. Where it throws, it is as if nobody had begun.
   * It may be done twice only where a process died over it, or was cut off from the storage: `isMine` tells one that was
   * stopped for longer than its turn lasts that somebody else may be at it by now.
   *
   * @example
   * const turn = await turns.take(`told:${event.id}`, () => tell(event), { keptMs: WEEK_MS });
   */
  take(
    key: string,
    work: (isMine: () => boolean) => Promise<unknown>,
    kept?: { keptMs: number },
  ): Promise<'done' | 'over' | 'busy'>;
}

/** One at a time, over a storage that replicas share. */
export function createTurns({
  storage,
  timings = TIMINGS,
}: {
  storage: Pick<Storage, 'get' | 'add' | 'replace' | 'delete'>;
  timings?: typeof TIMINGS;
}): Turns {
  const lifetime = { ttlMs: timings.lease };

  return {
    async take(key, work, kept) {
      const mine = randomUUID();
      let begun = performance.now();
      if (!(await storage.add(key, mine, lifetime))) {
        return (await storage.get(key)) === OVER ? 'over' : 'busy';
      }
      // One that fails is made up for by the next; without any, the worst is that the work is done twice.
      const renewal = setInterval(() => {
        const at = performance.now();
        storage.replace(key, mine, mine, lifetime).then(
          (isHeld) => {
            if (isHeld) begun = at;
          },
          () => undefined,
        );
      }, timings.renew);
      try {
        await work(() => performance.now() - begun < timings.lease);
        clearInterval(renewal);
        if (kept) await storage.replace(key, mine, OVER, { ttlMs: kept.keptMs });
      } catch (error) {
        // What failed is told; the key goes by itself.
        await storage.delete(key, mine).catch(() => undefined);
        throw error;
      } finally {
        clearInterval(renewal);
      }
      if (!kept) await storage.delete(key, mine);
      return 'done';
    },
  };
}
