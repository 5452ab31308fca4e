import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { isRecent } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { defineRecord, keyOf, type SignedRecords, type StoredData } from '../platform/records.ts';
import type { Continuity, Durability, Storage } from '../platform/storage.ts';

/** Maximum age of a check that found the storage durable, in milliseconds. */
const TRUSTED_MS = 60_000;
/** Maximum age of a check that found it not durable, in milliseconds. */
const DOUBTED_MS = 5_000;

/** Reason why payments are closed. `why` is for operators of the bot; `by` selects the text for users. */
export interface Closed {
  by: 'maintenance' | 'storage' | 'data-lost';
  why: string;
}

/** Accepts payments only while the storage would keep a claim and maintenance mode is off. */
export interface PaymentsGate {
  /** Returns why payments are closed, or `undefined`. Uses a recent check of the storage's durability. */
  closed(): Promise<Closed | undefined>;
  /** Like {@link closed}, with a new check of the storage's durability. Call before a claim. */
  closedNow(): Promise<Closed | undefined>;
}

/** Creates the gate. `volatile` allows a storage that isn't durable: only for a service on loopback with play money. */
export function createPaymentsGate(deps: {
  storage: Pick<Storage, 'durability'>;
  volatile: boolean;
  continuity: Pick<ContinuityWatch, 'obstacle'>;
  maintenance: Pick<Maintenance, 'find'>;
  now: () => number;
}): PaymentsGate {
  const { storage, volatile, continuity, maintenance, now } = deps;
  let lastCheck: { durability: Durability; at: number } | undefined;

  async function checkDurability(): Promise<Durability> {
    lastCheck = { durability: await storage.durability(), at: now() };
    return lastCheck.durability;
  }

  async function recentDurability(): Promise<Durability> {
    const maxAgeMs = lastCheck?.durability.durable ? TRUSTED_MS : DOUBTED_MS;
    return lastCheck && isRecent(lastCheck.at, maxAgeMs, now()) ? lastCheck.durability : checkDurability();
  }

  async function byStorage(durability: () => Promise<Durability>): Promise<Closed | undefined> {
    if (volatile) return undefined;
    const [found, obstacle] = await Promise.all([durability(), continuity.obstacle()]);
    return found.durable ? obstacle : { by: 'storage', why: found.why };
  }

  async function closed(durability: () => Promise<Durability>): Promise<Closed | undefined> {
    // In parallel, so that both take one round trip.
    const [on, stored] = await Promise.all([maintenance.find(), byStorage(durability)]);
    return on ? { by: 'maintenance', why: 'maintenance mode is on' } : stored;
  }

  return { closed: () => closed(recentDurability), closedNow: () => closed(checkDurability) };
}

/** Interval of checks, in milliseconds. A process may not know the claims of others within this time. */
const CHECK_INTERVAL_MS = 2_000;
/** Interval of checks during the start, until the storage is proved, in milliseconds. */
const START_CHECK_INTERVAL_MS = 500;
/** No claims are accepted for this long after data was lost, because more may be lost. In milliseconds. */
const CLOSED_AFTER_LOSS_MS = 5 * 60_000;
/** Maximum age of a loss that is reported, in milliseconds. Shorter than the TTL of the mark that it was reported. */
const REPORTED_WITHIN_MS = 12 * 3600_000;
const REPORT_TTL_MS = 24 * 3600_000;

const DATA_LOSS_REPORTED = {
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

const maintenanceSchema = z.object({
  /** Epoch milliseconds. */
  since: z.number(),
  /** Telegram id of the admin who turned it on. */
  admin: z.number(),
});

/** Shared by all replicas. */
const MAINTENANCE = defineRecord({
  keys: 'maintenance',
  content: 'Maintenance mode is on; time, and the admin who turned it on',
  schema: maintenanceSchema,
  ttlMs: 'none',
  expiry: 'none: until an admin turns it off; otherwise it would end by itself',
  signed: true,
  retained: { ofAdmins: true },
});

/** Maintenance mode that is on. The fields are missing if the record can't be read. */
type MaintenanceOn = Partial<z.infer<typeof maintenanceSchema>>;

/** Maintenance mode of all replicas: no new operation starts, but confirmed ones continue. */
export type Maintenance = ReturnType<typeof createMaintenance>;

/** Creates the maintenance switch. A record that fails verification counts as on, because *off* allows more. */
export function createMaintenance(deps: {
  records: Pick<SignedRecords, 'store' | 'has'>;
  now: () => number;
}) {
  const { records, now } = deps;
  const store = records.store(MAINTENANCE);
  const key = store.keyOf({});

  function readAhead(): () => Promise<MaintenanceOn | undefined> {
    const reading = store.readAhead({});
    const isStored = records.has(key);
    // Prevents an unhandled rejection. The returned function still reports the failure.
    isStored.catch(() => undefined);
    return async () => {
      const stored = await reading();
      if (stored !== undefined) return stored.value;
      return (await isStored) ? {} : undefined;
    };
  }

  return {
    /** Starts reading immediately. The returned function resolves to the mode, or to `undefined` while it is off. */
    readAhead,
    find: () => readAhead()(),
    /** Returns whether it was off before. `admin`: Telegram id of the admin. */
    turnOn: (admin: number) => store.add({}, { since: now(), admin }),
    /** Returns whether it was on before. */
    async turnOff(): Promise<boolean> {
      const wasOn = await records.has(key);
      await store.delete({});
      return wasOn;
    },
  };
}

/** Everything that this file stores. */
export const PAYMENTS_GATE_DATA: readonly StoredData[] = [MAINTENANCE, DATA_LOSS_REPORTED];
