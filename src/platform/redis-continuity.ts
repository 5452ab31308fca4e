import { randomUUID } from 'node:crypto';
import type { StoredData } from './records.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { Continuity } from './storage.ts';

/**
 * Key of the hash with the fields `epoch`, `run`, `cause`, `since`, `claims` and, until continuity is proved, `doubt`.
 * Each process has two more fields: `process:<id>` (time of its last check, and the run that it verified) and
 * `claims:<id>`.
 */
export const CONTINUITY = {
  keys: 'continuity',
  content: 'Epoch of the data, run id of Redis and number of claims, which reveal a rollback',
  expiry: 'none: without it the data would look lost',
} as const satisfies StoredData;

/** Maximum wait of a shutdown for Redis, in milliseconds. */
const LEAVE_PATIENCE_MS = 200;

/** Maximum round trip of a reading of the server's clock, in milliseconds. */
const MAX_ROUND_TRIP_MS = 250;

/** Creates the continuity of a process. `call` repeats a call after a lost connection. */
export function createRedisContinuity({ call }: Pick<RedisConnection, 'call'>) {
  const process = randomUUID();
  let known:
    | { epoch: string; since: number; claims: number; own: number; others: string; seenMs: number }
    | undefined;
  /** Server time in milliseconds at the origin of this process's monotonic clock. */
  let origin: number | undefined;

  function readClock(serverMs: number, begunMs: number): void {
    const endedMs = performance.now();
    if (origin !== undefined && endedMs - begunMs > MAX_ROUND_TRIP_MS) return;
    origin = serverMs - (begunMs + endedMs) / 2;
  }

  return {
    /** Id of this process in the commits of its claims. */
    process,
    async check(): Promise<Continuity> {
      const { epoch: knownEpoch = '', since: knownSince = 0, claims = 0, own = 0, others = '' } = known ?? {};
      // Created before the call, so that a repetition after a lost response starts the same epoch.
      const newEpoch = randomUUID();
      let begunMs = 0;
      const [isProved, epoch, run, cause, counted, since, time, alive] = await call((redis) => {
        begunMs = performance.now();
        const seen = [knownEpoch, knownSince, claims, own, others] as const;
        return redis.continuityCheck(CONTINUITY.keys, process, ...seen, newEpoch);
      });
      readClock(Number(time), begunMs);
      if (isProved === 1) {
        const before = known?.epoch === epoch ? known : { claims: 0, own: 0, seenMs: begunMs };
        const most = Math.max(before.claims, counted);
        known = { ...before, epoch, since: Number(since), claims: most, others: alive };
      }
      // At least since this process knows the epoch, even if the server's clock was set back.
      const knownMs = known?.epoch === epoch ? begunMs - known.seenMs : 0;
      const ageMs = Math.max(knownMs, Number(time) - Number(since));
      // An unknown cause, changed from outside, counts as `lost`.
      return { isProved: isProved === 1, epoch, run, cause: isCause(cause) ? cause : 'lost', ageMs };
    },
    /** Stores the counters that a commit returned: claims of all processes, and of this one. */
    counted(epoch: string, claims: number, own: number) {
      if (known?.epoch !== epoch) return;
      known = { ...known, claims: Math.max(known.claims, claims), own: Math.max(known.own, own) };
    },
    /** Removes this process when it ends. Its claims stay counted. */
    async leave() {
      if (known) await call((redis) => redis.continuityLeave(CONTINUITY.keys, process), LEAVE_PATIENCE_MS);
    },
    now: (): number => (origin === undefined ? Date.now() : Math.round(origin + performance.now())),
  };
}

function isCause(text: string): text is Continuity['cause'] {
  return ['new', 'unproved', 'lost'].includes(text);
}
