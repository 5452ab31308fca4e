import type { Log } from '../log.ts';
import { createQuiet } from '../quiet.ts';
import type { Storage } from '../storage/storage.ts';
import type { OperationRef } from './operation.ts';

/** Interval of the beats, and the silence after which the process of an attempt counts as gone. */
export interface HeartbeatPace {
  beatMs: number;
  silentMs: number;
}

/** With the reconciler's pace an attempt whose process is gone is found within 15 seconds. */
export const HEARTBEAT: HeartbeatPace = { beatMs: 2_000, silentMs: 8_000 };

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
