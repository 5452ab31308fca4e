// Marks of attempts, which prevent a second request, and heartbeats of the processes that make attempts.

import type { z } from 'zod';
import { createLogThrottle, type Log } from '../platform/log.ts';
import type { NewRecord, SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { Operation, OperationRef } from './operation.ts';

/** Key prefix of attempt marks. */
export const ATTEMPTS = 'attempt:';

/** TTL of a mark: the duration of the outcome search, and longer than a claim may wait for its attempt. */
const TTL_MS = 24 * 3600_000;

/**
 * Marks of attempts, stored apart from the operations' records. If an operation's record is put back to an earlier
 * state, its mark prevents a second request. If the record is lost during the attempt, the mark restores it.
 */
export interface Attempts {
  /**
   * Remembers in this process that the attempt was made. Returns `false` if it was made here before, or if its mark
   * existed already (`added` is false).
   */
  begun(operation: Operation, added: boolean): boolean;
  /** Returns the mark of an attempt, to be added together with the step to *sent*. */
  recordOf(operation: Operation): NewRecord & { key: string };
  /** Returns whether this process made the attempt. */
  wasMadeHere(ref: OperationRef): boolean;
  /** Returns the operation as it was when the attempt was made, or `undefined` if there is no mark. */
  recall(ref: OperationRef): Promise<Operation | undefined>;
}

export function createAttempts(deps: {
  records: SignedRecords;
  schema: z.ZodType<Operation>;
  now: () => number;
}): Attempts {
  const { records, schema, now } = deps;
  const keyOf = ({ user, id }: OperationRef) => `${ATTEMPTS}{${user}}:${id}`;
  /** Attempts of this process, by key, with their times. They count even if the stored mark was removed. */
  const made = new Map<string, number>();

  /** Removes old entries. Entries are in insertion order, so the first recent one ends the loop. */
  function forgetOld(): void {
    for (const [key, at] of made) {
      if (at >= now() - TTL_MS) return;
      made.delete(key);
    }
  }

  function isFirstHere(key: string): boolean {
    forgetOld();
    if (made.has(key)) return false;
    made.set(key, now());
    return true;
  }

  const recordOf = (operation: Operation) => ({
    key: keyOf(operation),
    // Fields in the schema's order: a retry after a lost reply then writes the same text.
    content: JSON.stringify(schema.parse(operation)),
    ttlMs: TTL_MS,
  });

  return {
    begun: (operation, added) => isFirstHere(keyOf(operation)) && added,
    wasMadeHere: (ref) => made.has(keyOf(ref)),
    recordOf,
    async recall(ref) {
      const record = await records.get(keyOf(ref));
      return record && schema.parse(JSON.parse(record.content));
    },
  };
}

/** Interval of heartbeats, and the silence after which the process of an attempt counts as gone. */
export interface HeartbeatPace {
  beatMs: number;
  silentMs: number;
}

/** With the reconciler's interval, an attempt whose process is gone is found within 15 seconds. */
const HEARTBEAT: HeartbeatPace = { beatMs: 2_000, silentMs: 8_000 };

/** Shows other replicas that the process of a claim is alive, by a key that expires by the storage's clock. */
export interface Heartbeat {
  readonly silentMs: number;
  /**
   * Sends heartbeats until `work` has ended. `beat` resolves when a heartbeat is stored, and rejects if the storage
   * can't be reached. A failed background heartbeat is logged and doesn't end the work.
   */
  during<T>(ref: OperationRef, work: (beat: () => Promise<void>) => Promise<T>): Promise<T>;
  isAlive(ref: OperationRef): Promise<boolean>;
}

export function createHeartbeat(deps: { storage: Storage; pace?: HeartbeatPace; log: Log }): Heartbeat {
  const { storage, pace = HEARTBEAT, log } = deps;
  const quiet = createLogThrottle();
  const keyOf = ({ user, id }: OperationRef) => `heartbeat:{${user}}:${id}`;

  return {
    silentMs: pace.silentMs,
    async during(ref, work) {
      let underWay: Promise<void> | undefined;
      const beat = () => {
        underWay ??= storage.set(keyOf(ref), '', { ttlMs: pace.silentMs }).finally(() => {
          underWay = undefined;
        });
        return underWay;
      };
      const beatInBackground = () =>
        void beat().catch((err: unknown) => {
          const said = quiet('missed');
          if (said) log.warn({ err, operation: ref.id, ...said }, 'a heartbeat was missed');
        });
      beatInBackground();
      const timer = setInterval(beatInBackground, pace.beatMs);
      try {
        return await work(beat);
      } finally {
        clearInterval(timer);
      }
    },
    isAlive: async (ref) => (await storage.get(keyOf(ref))) !== undefined,
  };
}
