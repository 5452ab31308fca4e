// Continuity of the stored data: detects that the storage was rolled back.

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import { keyOf, type StoredData } from '../platform/records.ts';
import type { Continuity, Storage } from '../platform/storage.ts';

/** Interval of checks, in milliseconds. A process may not know the claims of others within this time. */
const CHECK_INTERVAL_MS = 2_000;
/** Interval of checks during the start, until the storage is proved, in milliseconds. */
const START_CHECK_INTERVAL_MS = 500;
/** No claims are accepted for this long after data was lost, because more may be lost. In milliseconds. */
const CLOSED_AFTER_LOSS_MS = 5 * 60_000;
/** Maximum age of a loss that is reported, in milliseconds. Shorter than the TTL of the mark that it was reported. */
const REPORTED_WITHIN_MS = 12 * 3600_000;
const REPORT_TTL_MS = 24 * 3600_000;

export const DATA_LOSS_REPORTED = {
  keys: 'data-loss-reported:epoch',
  content: 'Admins were notified of the loss that began this epoch',
  expiry: '1 day',
} as const satisfies StoredData;

/** Cause of every epoch except the first one. */
export type ContinuityLoss = Exclude<Continuity['cause'], 'new'>;

/**
 * Detects that the storage was rolled back: restarted from an older copy, emptied, or replaced by a replica that lacked
 * some data. Cards and claims carry the epoch in which they were made. Those of an earlier epoch are never sent.
 *
 * @example
 * const { epoch } = await watch.check();
 * if (operation.epoch !== epoch) return 'void';
 */
export type ContinuityWatch = ReturnType<typeof createContinuityWatch>;

/** Creates the watch. One replica calls `report` once for each loss, and again after a failure. */
export function createContinuityWatch(deps: {
  storage: Pick<Storage, 'continuity' | 'add' | 'delete' | 'now'>;
  report: (loss: ContinuityLoss) => Promise<unknown>;
  log: Log;
}) {
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
    const key = keyOf(DATA_LOSS_REPORTED.keys, { epoch });
    if (!(await storage.add(key, randomUUID(), { ttlMs: REPORT_TTL_MS }))) return;
    log.error({ cause }, 'stored data may be incomplete; older cards are void');
    try {
      await report(cause);
    } catch (error) {
      await storage.delete(key);
      throw error;
    }
  }

  /** The next tick repeats a failed check. The connection logs that the storage is unreachable. */
  const tick = () =>
    void check()
      .then(reportLoss)
      .catch(() => undefined);

  return {
    /** Checks the storage now. Rejects if it can't be reached. */
    check,
    /** Returns the last check, at most two seconds old while the storage responds. Checks now if there was none. */
    last: async () => latest ?? check(),
    /** Returns when the epoch began, in epoch milliseconds; 0 for the first one. Older data may be rolled back. */
    async since(): Promise<number> {
      const { cause } = latest ?? (await check());
      return cause === 'new' ? 0 : epochBegan;
    },
    /** Checks the storage now. Returns why no claim may be accepted, or `undefined`. */
    async obstacle(): Promise<{ by: 'storage' | 'data-lost'; why: string } | undefined> {
      const { isProved, cause, ageMs } = await check();
      if (!isProved)
        return { by: 'storage', why: 'Redis was restarted; whether it lost data is being checked' };
      if (cause === 'lost' && ageMs < CLOSED_AFTER_LOSS_MS)
        return { by: 'data-lost', why: 'the storage lost its data a moment ago' };
      return undefined;
    },
    /** Resolves within six seconds, once the storage's continuity is decided. Call before the first update. */
    async establish(): Promise<void> {
      while (!(await check()).isProved) await delay(START_CHECK_INTERVAL_MS);
    },
    /** Checks every two seconds and reports a loss to admins. */
    start(): void {
      tick();
      timer = setInterval(tick, CHECK_INTERVAL_MS);
    },
    stop: () => clearInterval(timer),
  };
}
