// Continuity of the stored data: detects that the storage was rolled back.

import { randomUUID } from 'node:crypto';
import { DAY_MS, HOUR_MS } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { keyOf, type StoredData } from '../platform/records.ts';
import { type Continuity, LOSS_LASTS_MS, type Storage } from '../platform/storage.ts';

/** Interval of checks, in milliseconds. */
const CHECK_INTERVAL_MS = 2_000;
/**
 * Age of an unproved epoch from which it is reported, in milliseconds. Until then, a process that kept running can check
 * whether the data is as recent as it had seen it.
 */
const SURVIVORS_WITHIN_MS = 10_000;
/** Maximum age of a loss that is reported, in milliseconds. Shorter than the TTL of the mark that it was reported. */
const REPORTED_WITHIN_MS = 12 * HOUR_MS;
const REPORT_TTL_MS = DAY_MS;

export const DATA_LOSS_REPORTED = {
  keys: 'data-loss-reported:epoch',
  content: 'Admins were notified of the loss that began this epoch',
  expiry: '1 day',
} as const satisfies StoredData;

/**
 * Detects that the storage may have been rolled back: restarted, emptied, or replaced by a replica. Cards and claims
 * carry the epoch in which they were made. A card of an earlier epoch can't be confirmed.
 *
 * @example
 * const { epoch } = await watch.check();
 * if (operation.epoch !== epoch) return 'void';
 */
export type ContinuityWatch = ReturnType<typeof createContinuityWatch>;

const ADVICE =
  'Send the number of the latest order at the rental service to Admin → Users → Find user. If the bot finds it, nothing is missing. Otherwise see docs/operating/backup.md.';

/**
 * Creates the watch. One replica calls `report` once for each loss that isn't proved, and again after a failure. A health
 * check reports proved losses (`obstacle`).
 */
export function createContinuityWatch(deps: {
  storage: Pick<Storage, 'continuity' | 'add' | 'delete' | 'now'>;
  report: (epoch: string) => Promise<unknown>;
  log: Log;
}) {
  const { storage, report, log } = deps;
  let latest: Continuity | undefined;
  let seen: string | undefined;
  let epochBegan = 0;
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<Continuity> {
    const present = await storage.continuity();
    if (seen !== undefined && seen !== present.epoch)
      log.warn({ reason: present.cause }, 'Redis was restarted, replaced or emptied; open cards are void');
    seen = present.epoch;
    epochBegan = storage.now() - present.ageMs;
    latest = present;
    return present;
  }

  async function reportLoss({ epoch, cause, ageMs }: Continuity): Promise<void> {
    if (cause !== 'unproved' || ageMs < SURVIVORS_WITHIN_MS || ageMs > REPORTED_WITHIN_MS) return;
    const key = keyOf(DATA_LOSS_REPORTED.keys, { epoch });
    if (!(await storage.add(key, randomUUID(), { ttlMs: REPORT_TTL_MS }))) return;
    log.error({ reason: cause, advice: ADVICE }, 'stored data may be incomplete; older cards are void');
    try {
      await report(epoch);
    } catch (error) {
      await storage.delete(key);
      throw error;
    }
  }

  /**
   * The next tick repeats a failed check. Until then, callers check by themselves, because the storage may have been
   * restarted. The connection logs that the storage is unreachable.
   */
  const tick = () =>
    void check()
      .then(reportLoss)
      .catch(() => {
        latest = undefined;
      });

  return {
    /** Checks the storage now. Rejects if it can't be reached. Call before the first update. */
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
      const { cause, ageMs } = await check();
      if (cause === 'unreadable')
        return { by: 'storage', why: 'Redis does not report its run_id and master_replid (INFO)' };
      if (cause === 'lost' && ageMs < LOSS_LASTS_MS)
        return { by: 'data-lost', why: 'the storage lost its data a moment ago' };
      return undefined;
    },
    /** Checks every two seconds and reports a loss that isn't proved to admins. */
    start(): void {
      tick();
      timer = setInterval(tick, CHECK_INTERVAL_MS);
    },
    stop: () => clearInterval(timer),
  };
}
