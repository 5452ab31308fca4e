import type { z } from 'zod';
import { createQuiet, type Log } from '../platform/log.ts';
import type { NewRecord, SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { Operation, OperationRef } from './operation.ts';

/** What the keys of attempts begin with. */
export const ATTEMPTS = 'attempt:';

/** Longer than a claim may wait for its attempt, and as long as its outcome is searched for. */
const KEPT_MS = 24 * 3600_000;

/**
 * Marks of attempts, apart from the operations' own records: an operation whose record is put back to an earlier state isn't
 * sent again, and one whose record is lost amid its attempt is restored.
 */
export interface Attempts {
  /**
   * Remembers in this process that the attempt was made. Returns false if it was made here before, or if its mark was
   * there already (`added` is false).
   */
  begun(operation: Operation, added: boolean): boolean;
  /** The mark of an attempt, to be added together with its step. */
  recordOf(operation: Operation): NewRecord & { key: string };
  /** Whether this process made the attempt. */
  wasMadeHere(ref: OperationRef): boolean;
  /** The operation as it was then. */
  recall(ref: OperationRef): Promise<Operation | undefined>;
}

export function createAttempts(deps: {
  records: SignedRecords;
  schema: z.ZodType<Operation>;
  now: () => number;
}): Attempts {
  const { records, schema, now } = deps;
  const keyOf = ({ user, id }: OperationRef) => `${ATTEMPTS}{${user}}:${id}`;
  /** This process's own: it stands also where the one in storage was removed. */
  const made = new Map<string, number>();

  /** They stand in their order: the first one that is young ends the search, among a day's thousands. */
  function forgetOld(): void {
    for (const [key, at] of made) {
      if (at >= now() - KEPT_MS) return;
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
    // Its fields in the schema's order: repeated after a lost reply, the text is the same.
    content: JSON.stringify(schema.parse(operation)),
    ttlMs: KEPT_MS,
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

/** Interval of the beats, and the silence after which the process of an attempt counts as gone. */
export interface HeartbeatPace {
  beatMs: number;
  silentMs: number;
}

/** With the reconciler's pace an attempt whose process is gone is found within 15 seconds. */
const HEARTBEAT: HeartbeatPace = { beatMs: 2_000, silentMs: 8_000 };

/** Shows other replicas that the process of a claim lives, by a key that expires by the storage's clock. */
export interface Heartbeat {
  readonly silentMs: number;
  /**
   * Beats until `work` has ended. `beat` resolves when a beat is stored, and rejects if the storage is away. A beat that
   * fails is logged and doesn't end the work.
   */
  during<T>(ref: OperationRef, work: (beat: () => Promise<void>) => Promise<T>): Promise<T>;
  isAlive(ref: OperationRef): Promise<boolean>;
}

export function createHeartbeat(deps: { storage: Storage; pace?: HeartbeatPace; log: Log }): Heartbeat {
  const { storage, pace = HEARTBEAT, log } = deps;
  const quiet = createQuiet();
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
