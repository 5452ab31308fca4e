import type { Log } from '../log.ts';
import { createQuiet } from '../quiet.ts';
import type { Storage } from '../storage/storage.ts';
import type { OperationRef } from './operation.ts';

/** In milliseconds: how often an attempt says that its process lives, and after what silence it is taken for lost. */
export interface HeartbeatPace {
  beatMs: number;
  silentMs: number;
}

/** With the reconciler's pace a lost attempt is found within 15 s. */
export const HEARTBEAT: HeartbeatPace = { beatMs: 2_000, silentMs: 8_000 };

/** By this an attempt says that its process lives: a mark that the storage itself lets expire, whatever clocks say. */
export interface Heartbeat {
  /** It lives while `work` does, and from `begun` on, which rejects where the storage is away. */
  during<T>(ref: OperationRef, work: (begun: Promise<void>) => Promise<T>): Promise<T>;
  isAlive(ref: OperationRef): Promise<boolean>;
}

export function createHeartbeat(deps: { storage: Storage; pace?: HeartbeatPace; log: Log }): Heartbeat {
  const { storage, pace = HEARTBEAT, log } = deps;
  const quiet = createQuiet();
  const keyOf = ({ user, id }: OperationRef) => `heartbeat:{${user}}:${id}`;
  const beat = (ref: OperationRef) => storage.set(keyOf(ref), '', { ttlMs: pace.silentMs });

  return {
    async during(ref, work) {
      const begun = beat(ref);
      const heart = setInterval(() => {
        beat(ref).catch((err: unknown) => {
          const said = quiet('missed');
          if (said) log.warn({ err, operation: ref.id, ...said }, 'a heartbeat was missed');
        });
      }, pace.beatMs);
      try {
        const [done] = await Promise.all([work(begun), begun]);
        return done;
      } finally {
        clearInterval(heart);
      }
    },
    isAlive: async (ref) => (await storage.get(keyOf(ref))) !== undefined,
  };
}
