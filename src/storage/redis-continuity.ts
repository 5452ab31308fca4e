import { randomUUID } from 'node:crypto';
import type { Redis, RedisOptions, Result } from 'ioredis';
import { info, time } from './redis-lua.ts';
import type { Continuity } from './storage.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    continuityCheck(
      key: string,
      knownEpoch: string,
      knownClaims: number,
      newEpoch: string,
      vouchMs: number,
    ): Result<
      [
        isProved: number,
        epoch: string,
        run: string,
        cause: string,
        claims: number,
        ageMs: number,
        time: string,
      ],
      Context
    >;
  }
}

/** Hash with the fields `epoch`, `run`, `cause`, `since`, `claims` and, while nobody has vouched, `doubt`. */
export const CONTINUITY = 'continuity';

/**
 * How long a process that started after a restart of Redis waits for one that lived through it. Such a process checks as
 * soon as it has reconnected, which takes it at most a second.
 */
const VOUCH_MS = 5_000;

/** Longest round trip by which the server's clock is read. */
const MAX_ROUND_TRIP_MS = 250;

/**
 * Compares the stored epoch, run id and claim counter with the server's run id and with what this process saw (an empty
 * epoch if it saw none).
 */
const check = `${info}${time}
local key, known_epoch, known_claims, new_epoch, vouch_ms =
  KEYS[1], ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local run, now = info('server', 'run_id'), time()
local found = redis.call('HMGET', key, 'epoch', 'run', 'cause', 'since', 'claims', 'doubt')
local epoch, stored_run, cause, since = found[1], found[2], found[3], tonumber(found[4] or now)
local claims, doubt = tonumber(found[5] or 0), found[6]
local is_known = known_epoch ~= ''

local function reply(is_proved)
  return { is_proved, epoch or '', run, cause or '', claims, now - since, string.format('%.0f', now) }
end
local function begin(why)
  epoch, cause, since, claims = new_epoch, why, now, 0
  redis.call('DEL', key)
  redis.call('HSET', key, 'epoch', epoch, 'run', run, 'cause', why, 'since', string.format('%.0f', now), 'claims', 0)
  return reply(1)
end

if not epoch then return begin(is_known and 'lost' or 'new') end
local is_same = known_epoch == epoch
if is_same and claims < known_claims then return begin('lost') end
if stored_run == run then return reply(1) end
if is_same then
  redis.call('HSET', key, 'run', run)
  redis.call('HDEL', key, 'doubt')
  return reply(1)
end
local doubted_run, doubted_at = string.match(doubt or '', '^(%x+)|(%d+)$')
if doubted_run ~= run then
  redis.call('HSET', key, 'doubt', run .. '|' .. string.format('%.0f', now))
  return reply(0)
end
if now - doubted_at < vouch_ms then return reply(0) end
return begin('unproved')
`;

export const continuityScripts: NonNullable<RedisOptions['scripts']> = {
  continuityCheck: { lua: check, numberOfKeys: 1 },
};

/** What this process knows of the data's history, and the server's clock. */
export interface RedisContinuity {
  check(): Promise<Continuity>;
  /** Notes the counter that a commit returned. */
  counted(epoch: string, claims: number): void;
  now(): number;
}

/** `call` repeats a call after a lost connection. */
export function createRedisContinuity({
  call,
}: {
  call: <T>(run: (redis: Redis) => Promise<T>) => Promise<T>;
}): RedisContinuity {
  let known: { epoch: string; claims: number } | undefined;
  /** Server time in milliseconds when this process' monotonic clock was 0. */
  let origin: number | undefined;

  function remember(epoch: string, claims: number): void {
    const before = known?.epoch === epoch ? known.claims : 0;
    known = { epoch, claims: Math.max(before, claims) };
  }

  function readClock(serverMs: number, begunMs: number): void {
    const endedMs = performance.now();
    if (origin !== undefined && endedMs - begunMs > MAX_ROUND_TRIP_MS) return;
    origin = serverMs - (begunMs + endedMs) / 2;
  }

  return {
    async check() {
      const { epoch: knownEpoch = '', claims: knownClaims = 0 } = known ?? {};
      // Made before the call, so that a repetition after a lost reply begins the same epoch.
      const newEpoch = randomUUID();
      let begunMs = 0;
      const [isProved, epoch, run, cause, claims, ageMs, time] = await call((redis) => {
        begunMs = performance.now();
        return redis.continuityCheck(CONTINUITY, knownEpoch, knownClaims, newEpoch, VOUCH_MS);
      });
      readClock(Number(time), begunMs);
      if (isProved === 1) remember(epoch, claims);
      return { isProved: isProved === 1, epoch, run, cause: causeOf(cause), ageMs };
    },
    counted(epoch, claims) {
      if (known?.epoch === epoch) remember(epoch, claims);
    },
    now: () => (origin === undefined ? Date.now() : Math.round(origin + performance.now())),
  };
}

/** A field that was changed from outside counts as the worst. */
function causeOf(text: string): Continuity['cause'] {
  return text === 'new' || text === 'unproved' ? text : 'lost';
}
