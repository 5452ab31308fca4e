// Records that let other processes recover an operation: marks of attempts, heartbeats, and the recheck schedule.

import { z } from 'zod';
import { DAY_MS, isRecent } from '../platform/clock.ts';
import { createDueQueue, defineDueQueue } from '../platform/due-queue.ts';
import { createLogThrottle, type Log } from '../platform/log.ts';
import { defineRecord, keyOf, type SignedRecords, type StoredData } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { Kinds } from './kinds/kind.ts';
import {
  type DoneOperation,
  isInProgress,
  type Operation,
  type OperationRef,
  type SentOperation,
} from './operation.ts';

/** TTL of a mark: the duration of the outcome search, and longer than a claim may wait for its attempt. */
const ATTEMPT_TTL_MS = DAY_MS;

const ATTEMPT = defineRecord({
  keys: 'attempt:{user}:id',
  content: 'Mark of an attempt: the operation as it was sent',
  // This schema accepts everything. The operation's schema checks the content: a mark with invalid content must not
  // count as missing.
  schema: z.custom<Operation>(),
  ttlMs: ATTEMPT_TTL_MS,
  signed: true,
  retained: { own: 'kept-money' },
});

/**
 * Creates the marks of attempts, stored apart from the operations' records. If an operation's record is put back to an
 * earlier state, its mark prevents a second request. If the record is lost during the attempt, the mark restores it.
 */
export function createAttempts(deps: {
  records: SignedRecords;
  schema: z.ZodType<Operation>;
  now: () => number;
}) {
  const { records, schema, now } = deps;
  /** Attempts of this process, by key, with their times. They count even if the stored mark was removed. */
  const made = new Map<string, number>();

  /** Removes old entries. Entries are in insertion order, so the first recent one ends the loop. */
  function forgetOld(): void {
    for (const [key, at] of made) {
      if (at >= now() - ATTEMPT_TTL_MS) return;
      made.delete(key);
    }
  }

  return {
    /** Remembers that this process makes the attempt. Returns `false` if it was made before, here or elsewhere. */
    markBegun(operation: Operation, isMarkAdded: boolean): boolean {
      const key = keyOf(ATTEMPT.keys, operation);
      forgetOld();
      if (made.has(key)) return false;
      made.set(key, now());
      return isMarkAdded;
    },
    /** Returns whether this process made the attempt. */
    wasMadeHere: (ref: OperationRef) => made.has(keyOf(ATTEMPT.keys, ref)),
    /** Returns the mark of an attempt, to be added together with the step to *sent*. */
    recordOf: (operation: Operation) => ({
      key: keyOf(ATTEMPT.keys, operation),
      // Fields in the schema's order: a retry after a lost reply then writes the same text.
      content: JSON.stringify(schema.parse(operation)),
      ttlMs: ATTEMPT_TTL_MS,
    }),
    /** Returns the operation as it was when the attempt was made, or `undefined` if there is no mark. */
    async operationOf(ref: OperationRef): Promise<SentOperation | undefined> {
      const record = await records.get(keyOf(ATTEMPT.keys, ref));
      if (record === undefined) return undefined;
      const operation = schema.parse(JSON.parse(record.content));
      if (operation.state !== 'sent')
        throw new Error(`operation ${ref.id}: the mark of its attempt is invalid`);
      return operation;
    },
  };
}

const HEARTBEAT = {
  keys: 'heartbeat:{user}:id',
  content: 'The process of an attempt is alive',
  expiry: '8 seconds',
  retained: { own: 'kept-under-way' },
} as const satisfies StoredData;

/** Interval of heartbeats, and the silence after which the process of an attempt counts as gone. */
export interface HeartbeatPace {
  beatMs: number;
  silentMs: number;
}

/** With the reconciler's interval, an attempt whose process is gone is found within 15 seconds. */
const DEFAULT_PACE: HeartbeatPace = { beatMs: 2_000, silentMs: 8_000 };

/** Shows other replicas that the process of a claim is alive, by a key that expires by the storage's clock. */
export function createHeartbeat({ storage, log }: { storage: Storage; log: Log }, pace = DEFAULT_PACE) {
  const throttle = createLogThrottle();

  return {
    silentMs: pace.silentMs,
    /**
     * Sends heartbeats until `work` has ended. `beat` resolves when a heartbeat is stored, and rejects if the storage
     * can't be reached. A failed background heartbeat is logged and doesn't end the work.
     */
    async during<T>(ref: OperationRef, work: (beat: () => Promise<void>) => Promise<T>): Promise<T> {
      let beating: Promise<void> | undefined;
      const beat = () => {
        beating ??= storage.set(keyOf(HEARTBEAT.keys, ref), '', { ttlMs: pace.silentMs }).finally(() => {
          beating = undefined;
        });
        return beating;
      };
      const beatInBackground = () =>
        void beat().catch((err: unknown) => {
          const throttled = throttle('missed');
          if (throttled) log.warn({ err, operation: ref.id, ...throttled }, 'a heartbeat was missed');
        });
      beatInBackground();
      const timer = setInterval(beatInBackground, pace.beatMs);
      try {
        return await work(beat);
      } finally {
        clearInterval(timer);
      }
    },
    async isAlive(ref: OperationRef): Promise<boolean> {
      const key = keyOf(HEARTBEAT.keys, ref);
      const found = await storage.get(key);
      if (found !== undefined) await storage.limitTtl(key, found, pace.silentMs);
      return found !== undefined;
    },
  };
}

/** Delays between searches, in seconds. The last one repeats until the day is over. */
const SEARCH_S = [2, 3, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600];
/** Delays between searches for a delivery, in seconds: the first one that exceeds the order's age. */
const DELIVERY_S = [30, 60, 120, 300, 600, 1_800, 3_600];

const RECHECKS = defineDueQueue({
  keys: 'operations:due',
  ref: { user: 'number', id: 'string' },
  longestMs: 1000 * Math.max(...SEARCH_S, ...DELIVERY_S),
  content: 'When the reconciler processes each operation next',
  expiry: 'none: a single key; finished operations are removed',
  retained: { elsewhere: 'kept-under-way' },
});

const QUARANTINED = defineDueQueue({
  keys: 'operations:quarantined',
  ref: { user: 'number', id: 'string' },
  longestMs: 0,
  content: "Operations that couldn't be read",
  expiry: 'none: until the next start takes them back',
  retained: { elsewhere: 'kept-under-way' },
});

const BATCH = 100;

/** Creates the schedule of the reconciler. It uses the storage's clock, because the clocks of replicas may differ. */
export function createRecheckSchedule(deps: { storage: Storage }) {
  const rechecks = createDueQueue(RECHECKS, deps);
  const quarantined = createDueQueue(QUARANTINED, deps);
  return {
    ...rechecks,
    /** Removes an operation until a process, perhaps of a newer version, calls `endQuarantine`. */
    async quarantine(ref: OperationRef): Promise<void> {
      await quarantined.scheduleIn(ref, 0);
      await rechecks.remove(ref);
    },
    /** Schedules all operations that `quarantine` removed. */
    async endQuarantine(): Promise<void> {
      for (;;) {
        const refs = await quarantined.scheduled(BATCH);
        for (const ref of refs) {
          await rechecks.scheduleIn(ref, 0);
          await quarantined.remove(ref);
        }
        if (refs.length < BATCH) return;
      }
    },
  };
}

/** Age of a request after which no outcome is searched for any more, in milliseconds. */
export const SEARCHED_MS = DAY_MS;
/** Time that a process has for an operation, and retry interval of failed notifications, in milliseconds. */
export const LEASE_MS = 10_000;
/** Age of a listed operation up to which its status is polled, in milliseconds. */
const LISTED_MS = 30 * DAY_MS;

/** Returns when to check an operation again, in milliseconds from now, or `undefined` if it waits for nothing. */
export async function nextRecheckMs(
  services: { kinds: Kinds; reported: (account: number) => Promise<boolean>; now: () => number },
  operation: Operation,
): Promise<number | undefined> {
  if (isInProgress(operation) || operation.state === 'unknown') return 0;
  if (operation.state !== 'done') return undefined;
  const { request, result, settledAt, account, attempt } = operation;
  if (result.status !== 'pending' || result.order === undefined) return undefined;
  const age = services.now() - settledAt;
  const isListed = services.kinds.of(request).listing?.difference !== undefined;
  if (age > (isListed ? LISTED_MS : SEARCHED_MS)) return undefined;
  if (!isListed && !(attempt.reported ?? (await services.reported(account)))) return undefined;
  return 1000 * (DELIVERY_S.find((seconds) => seconds * 1000 > age) ?? 3_600);
}

/**
 * Returns the delay until the next search, in milliseconds.
 * `searches`: number of searches up to now. `age`: milliseconds since the request.
 *
 * The delay is at most twice the age, so that manual searches barely postpone the automatic ones.
 */
export function searchAgainMs(searches: number, age: number): number {
  const [first = 1] = SEARCH_S;
  const seconds = SEARCH_S[Math.min(searches, SEARCH_S.length) - 1] ?? first;
  // The age is negative after the clock was set back.
  return Math.min(1000 * seconds, Math.max(1000 * first, 2 * Math.abs(age)));
}

/** Returns when the next automatic search is due, in epoch milliseconds, or `undefined` if none is known. */
export function nextSearchAt(operation: Operation): number | undefined {
  if (operation.state !== 'unknown') return undefined;
  const { search, attempt } = operation;
  if (search === undefined || search.over) return undefined;
  return search.at + searchAgainMs(search.count, search.at - attempt.sentAt);
}

/** Returns whether to search for the delivery instead of waiting for its event. */
export function isOverdue({ settledAt }: DoneOperation, now: number): boolean {
  return !isRecent(settledAt, 1000 * (DELIVERY_S[0] ?? 0), now);
}

/** Everything that this file stores. */
export const RECOVERY_DATA: readonly StoredData[] = [ATTEMPT, HEARTBEAT, RECHECKS, QUARANTINED];
