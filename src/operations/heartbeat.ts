import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import type { OperationRef } from './operation.ts';

const BEAT_MS = 2_000;
/** An attempt that was silent for this long has lost its process. With the watch's pace it is found within 15 s. */
const SILENT_MS = 8_000;
const KEPT_MS = 60_000;

/** By this an attempt says that its process lives. */
export interface Heartbeat {
  during<T>(ref: OperationRef, work: () => Promise<T>): Promise<T>;
  isAlive(ref: OperationRef): Promise<boolean>;
}

export function createHeartbeat(deps: { storage: Storage; now: () => number; log: Log }): Heartbeat {
  const { storage, now, log } = deps;
  const keyOf = ({ user, id }: OperationRef) => `heartbeat:{${user}}:${id}`;
  const beat = (ref: OperationRef) => storage.set(keyOf(ref), String(now()), { ttlMs: KEPT_MS });

  return {
    async during(ref, work) {
      await beat(ref);
      const heart = setInterval(() => {
        beat(ref).catch((err: unknown) => log.warn({ err, operation: ref.id }, 'a heartbeat was missed'));
      }, BEAT_MS);
      try {
        return await work();
      } finally {
        clearInterval(heart);
      }
    },
    async isAlive(ref) {
      const last = await storage.get(keyOf(ref));
      return last !== undefined && now() - Number(last) < SILENT_MS;
    },
  };
}
