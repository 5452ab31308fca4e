import { randomUUID } from 'node:crypto';
import type { StoredData } from './records.ts';
import type { Storage } from './storage.ts';

/** Timings in milliseconds. A process that dies during its work blocks others for `lease` at most. */
const TIMINGS = { lease: 8_000, renew: 2_500 };
export type LeaseTimings = typeof TIMINGS;
const OVER = '';

/**
 * Defines a lease: a key that exists while one replica does some work. `expiry` is only needed for work that is
 * executed once.
 */
export function defineLease<const Keys extends string>(
  definition: Omit<StoredData<Keys>, 'expiry'> & { expiry?: string },
): StoredData<Keys> {
  return { expiry: '8 seconds', ...definition };
}

export type Leases = ReturnType<typeof createLeases>;

export function createLeases(deps: {
  storage: Pick<Storage, 'get' | 'add' | 'replace' | 'limitTtl' | 'delete'>;
  timings?: LeaseTimings | undefined;
}) {
  const { storage, timings = TIMINGS } = deps;
  const lifetime = { ttlMs: timings.lease };

  return {
    /**
     * Executes `work` under a lease of `key`. Returns `busy` if another caller holds the lease, on any replica. With
     * `keptMs`, work is executed once: later calls within that time after its start return `over`. If `work` throws, the
     * lease is released.
     *
     * Work is executed twice only if a process died during it or lost the storage. `isHeld` returns false after the
     * process was stopped for longer than the lease, because another one may have started.
     *
     * @example
     * const key = keyOf(SENDING.keys, { user: 501, id: '7Q2K' });
     * const result = await leases.withLease(key, () => send(receipt)); // 'done', or 'busy'
     */
    async withLease(
      key: string,
      work: (isHeld: () => boolean) => Promise<unknown>,
      kept?: { keptMs: number },
    ): Promise<'done' | 'over' | 'busy'> {
      const mine = randomUUID();
      const startedAt = performance.now();
      let begun = startedAt;
      if (!(await storage.add(key, mine, lifetime))) {
        const found = await storage.get(key);
        if (found === OVER) {
          if (kept) await storage.limitTtl(key, OVER, kept.keptMs);
          return 'over';
        }
        if (found !== undefined) await storage.limitTtl(key, found, timings.lease);
        return 'busy';
      }
      // The next renewal makes up for a failed one. Without any, the work may at worst be executed twice.
      const renewal = setInterval(() => {
        const at = performance.now();
        storage.replace(key, mine, mine, lifetime).then(
          (isRenewed) => {
            if (isRenewed) begun = at;
          },
          () => undefined,
        );
      }, timings.renew);
      try {
        await work(() => performance.now() - begun < timings.lease);
        clearInterval(renewal);
        const ttlMs = kept ? Math.round(kept.keptMs - (performance.now() - startedAt)) : 0;
        if (ttlMs > 0) await storage.replace(key, mine, OVER, { ttlMs });
        else await storage.delete(key, mine);
      } catch (error) {
        // The caller gets the error of `work`. If the key can't be deleted, it expires.
        await storage.delete(key, mine).catch(() => undefined);
        throw error;
      } finally {
        clearInterval(renewal);
      }
      return 'done';
    },
  };
}
