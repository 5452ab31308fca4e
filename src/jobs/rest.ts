import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';

/** What Redis says while it takes no writes: full, a replica, without its replicas, without its disk. */
const REFUSES = /\b(OOM|READONLY|NOREPLICAS|MISCONF)\b/;
/** Between two looks at whether it does again, in milliseconds: twice as long each time. */
const FIRST_MS = 250;
const LONGEST_MS = 4_000;

interface Pausable {
  pause(doNotWaitActive: boolean): Promise<void>;
  resume(): Promise<void>;
}

/** Lets workers rest while Redis takes no writes: they would ask it thousands of times a second. */
export function createRest({
  redis,
  key,
  workers,
}: {
  redis: Redis;
  key: string;
  workers: () => Pausable[];
}) {
  const ended = new AbortController();
  let rests = false;

  async function untilWritten(): Promise<void> {
    for (let wait = FIRST_MS; !ended.signal.aborted; wait = Math.min(2 * wait, LONGEST_MS)) {
      await sleep(wait, undefined, { signal: ended.signal }).catch(() => {});
      const written = await redis.set(key, '', 'PX', LONGEST_MS).catch(() => undefined);
      if (written) return;
    }
  }

  async function rest(): Promise<void> {
    rests = true;
    await Promise.all(workers().map((worker) => worker.pause(true)));
    await untilWritten();
    rests = false;
    if (!ended.signal.aborted) await Promise.all(workers().map((worker) => worker.resume()));
  }

  return {
    /** Begins where that is what `error` says; work that is under way goes on. */
    after(error: Error): void {
      if (!rests && !ended.signal.aborted && REFUSES.test(error.message)) void rest();
    },
    end: () => ended.abort(),
  };
}
