import { randomUUID } from 'node:crypto';
import type { StoredData } from './records.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { Continuity } from './storage.ts';

/** Key of the hash with the fields `epoch`, `run`, `cause`, `since`, `from` and `count`. */
export const CONTINUITY = {
  keys: 'continuity',
  content: 'Epoch of the data, run id of Redis and number of checks, which reveal a rollback',
  expiry: 'none: without it the data would look lost',
} as const satisfies StoredData;

/** Maximum round trip of a reading of the server's clock, in milliseconds. */
const MAX_ROUND_TRIP_MS = 250;

/** Creates the continuity of a process. `call` repeats a call after a lost connection. */
export function createRedisContinuity({ call }: Pick<RedisConnection, 'call'>) {
  /** Last epoch that this process saw, the highest count of checks, and when it first saw the epoch. */
  let known = { epoch: '', count: 0, sinceMs: 0 };
  /** Server time in milliseconds at the origin of this process's monotonic clock. */
  let origin: number | undefined;

  function readClock(serverMs: number, begunMs: number): void {
    const endedMs = performance.now();
    if (origin !== undefined && endedMs - begunMs > MAX_ROUND_TRIP_MS) return;
    origin = serverMs - (begunMs + endedMs) / 2;
  }

  return {
    async check({ isExpected = false } = {}): Promise<Continuity> {
      let begunMs = 0;
      const [epoch, cause, count, since, time] = await call((redis) => {
        begunMs = performance.now();
        const newEpoch = randomUUID();
        return redis.continuityCheck(CONTINUITY.keys, known.epoch, known.count, newEpoch, isExpected ? 1 : 0);
      });
      readClock(Number(time), begunMs);
      if (count > known.count)
        known = { epoch, count, sinceMs: known.epoch === epoch ? known.sinceMs : begunMs };
      // At least since this process knows the epoch, even if the server's clock was set back.
      const knownMs = known.epoch === epoch ? begunMs - known.sinceMs : 0;
      const ageMs = Math.max(knownMs, Number(time) - Number(since));
      // An unknown cause, changed from outside, counts as `lost`.
      return { epoch, cause: isCause(cause) ? cause : 'lost', ageMs };
    },
    /** Returns the highest count of checks that this process saw. */
    seen: () => known.count,
    now: (): number => (origin === undefined ? Date.now() : Math.round(origin + performance.now())),
  };
}

function isCause(text: string): text is Continuity['cause'] {
  return ['new', 'restarted', 'unproved', 'lost', 'unreadable'].includes(text);
}
