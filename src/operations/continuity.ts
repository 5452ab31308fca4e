import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import type { Continuity, Storage } from '../platform/storage.ts';

/** Claims that another process makes within this time may be unknown to a process that survives a rollback. */
const CHECK_INTERVAL_MS = 2_000;
/** Pause between two checks while a process starts whose storage isn't proved yet. */
const START_CHECK_INTERVAL_MS = 500;
/** No claims are made for this long after data was lost, because more may be lost. */
const CLOSED_AFTER_LOSS_MS = 5 * 60_000;
/** An older loss isn't reported any more. Shorter than the lifetime of the mark that it was. */
const REPORTED_WITHIN_MS = 12 * 3600_000;
const REPORT_TTL_MS = 24 * 3600_000;

/** Why an epoch of the data began that isn't the first. */
export type ContinuityLoss = Exclude<Continuity['cause'], 'new'>;

/**
 * Notices that the storage was rolled back: restarted from an older copy, emptied, or replaced by a replica that had not
 * received everything. Cards and claims carry the epoch that they were made in; those of an earlier epoch are never sent.
 *
 * @example
 * const { epoch } = await watch.check();
 * if (operation.epoch !== epoch) return 'void';
 */
export interface ContinuityWatch {
  /** Asks the storage at this moment. Rejects if it can't be reached. */
  check(): Promise<Continuity>;
  /** Result of the last check, which is at most two seconds old while the storage answers. Checks if there was none. */
  last(): Promise<Continuity>;
  /**
   * When the present epoch began (epoch milliseconds): earlier data may have been rolled back. 0 if it is the first one.
   */
  since(): Promise<number>;
  /** Returns why no claim is taken by what the storage says at this moment, or `undefined`. */
  obstacle(): Promise<{ by: 'storage' | 'data-lost'; why: string } | undefined>;
  /** Resolves once it is known whether continuity was kept: within six seconds. Call before the first update. */
  establish(): Promise<void>;
  /** Checks every two seconds and reports a loss to admins. */
  start(): void;
  stop(): void;
}

/** `report` is called by one replica, once for each loss. If it rejects, it is called again with the next check. */
export function createContinuityWatch(deps: {
  storage: Pick<Storage, 'continuity' | 'add' | 'delete' | 'now'>;
  report: (loss: ContinuityLoss) => Promise<unknown>;
  log: Log;
}): ContinuityWatch {
  const { storage, report, log } = deps;
  let latest: Continuity | undefined;
  let epochBegan = 0;
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<Continuity> {
    latest = await storage.continuity();
    epochBegan = storage.now() - latest.ageMs;
    return latest;
  }

  async function reportLoss({ epoch, cause, ageMs }: Continuity): Promise<void> {
    if (cause === 'new' || ageMs > REPORTED_WITHIN_MS) return;
    const key = `data-loss-told:${epoch}`;
    if (!(await storage.add(key, randomUUID(), { ttlMs: REPORT_TTL_MS }))) return;
    log.error({ cause }, 'stored data may be incomplete; older cards are void');
    try {
      await report(cause);
    } catch (error) {
      await storage.delete(key);
      throw error;
    }
  }

  /** A failed check is repeated by the next tick. The connection logs that the storage is away. */
  const tick = () =>
    void check()
      .then(reportLoss)
      .catch(() => undefined);

  return {
    check,
    last: async () => latest ?? check(),
    async since() {
      const { cause } = latest ?? (await check());
      return cause === 'new' ? 0 : epochBegan;
    },
    async obstacle() {
      const { isProved, cause, ageMs } = await check();
      if (!isProved)
        return { by: 'storage', why: 'Redis was restarted; whether it lost data is being checked' };
      if (cause === 'lost' && ageMs < CLOSED_AFTER_LOSS_MS)
        return { by: 'data-lost', why: 'the storage lost its data a moment ago' };
      return undefined;
    },
    async establish() {
      while (!(await check()).isProved) await delay(START_CHECK_INTERVAL_MS);
    },
    start() {
      tick();
      timer = setInterval(tick, CHECK_INTERVAL_MS);
    },
    stop: () => clearInterval(timer),
  };
}
