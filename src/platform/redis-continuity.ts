import { randomUUID } from 'node:crypto';
import type { Redis, RedisOptions, Result } from 'ioredis';
import { info, time } from './redis-lua.ts';
import type { Continuity } from './storage.ts';
import type { StoredData } from './stored-data.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    continuityCheck(
      key: string,
      process: string,
      knownEpoch: string,
      knownSince: number,
      knownClaims: number,
      knownOwnClaims: number,
      knownOthers: string,
      newEpoch: string,
    ): Result<
      [
        isProved: number,
        epoch: string,
        run: string,
        cause: string,
        claims: number,
        since: string,
        time: string,
        others: string,
      ],
      Context
    >;
    continuityLeave(key: string, process: string): Result<null, Context>;
  }
}

/**
 * Key of the hash with the fields `epoch`, `run`, `cause`, `since`, `claims` and, until continuity is proved, `doubt`.
 * Each process has two more fields: `process:<id>` (time of its last check, and the run that it vouched for) and
 * `claims:<id>`.
 */
export const CONTINUITY = {
  keys: 'continuity',
  content: 'Epoch of the data, run id of Redis and number of claims, which reveal a rollback',
  expiry: 'none: without it the data would look lost',
} as const satisfies StoredData;

/**
 * Time after a restart of Redis for all surviving processes to vouch, in milliseconds. Each of them checks as soon as
 * it has reconnected, which takes a second at most.
 */
const VOUCH_MS = 5_000;
/**
 * A process counts as alive if its check is at most this much older than another's, in milliseconds. Longer than the
 * pause between checks.
 */
const ALIVE_MS = 15_000;
/** Time without a check after which the fields of a process are removed, in milliseconds. */
const FORGOTTEN_MS = 10 * 60_000;

/** Maximum wait of a shutdown for Redis, in milliseconds. */
const LEAVE_PATIENCE_MS = 200;

/** Maximum round trip of a reading of the server's clock, in milliseconds. */
const MAX_ROUND_TRIP_MS = 250;

/**
 * Compares the stored epoch, run and claim counters with the server's run and with the values that this process saw.
 * The epoch of a process that saw none is empty. A run is the server's run id and its replication id, which changes
 * when the server becomes a replica.
 *
 * In a new run, every process that was alive must vouch: the counter may lack the last claims that another process saw.
 */
const check = `${info}${time}
local key, id, new_epoch = KEYS[1], ARGV[1], ARGV[7]
local known_epoch, known_since = ARGV[2], tonumber(ARGV[3])
local known_claims, known_own, known_others = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local run, now = info('server', 'run_id') .. ':' .. info('replication', 'master_replid'), time()
local fields = {}
local found = redis.call('HGETALL', key)
for at = 1, #found, 2 do fields[found[at]] = found[at + 1] end
local epoch, cause = fields.epoch, fields.cause
local since, claims = tonumber(fields.since or now), tonumber(fields.claims or 0)
local function number(value) return string.format('%.0f', value) end

local others = {}
for field, value in pairs(fields) do
  local other = string.match(field, '^process:(.+)$')
  if other and other ~= id then
    local checked, vouched = string.match(value, '^(%d+)|(.*)$')
    others[other] = { checked = tonumber(checked or 0), vouched = vouched or '' }
  end
end
local own_checked = tonumber(string.match(fields['process:' .. id] or '', '^(%d+)') or 0)
local function present(checked) redis.call('HSET', key, 'process:' .. id, number(checked) .. '|' .. run) end

local function reply(is_proved)
  local alive = {}
  for other, state in pairs(others) do
    if state.checked >= now - ${ALIVE_MS} then table.insert(alive, other) end
  end
  return { is_proved, epoch or '', run, cause or '', claims, number(since), number(now), table.concat(alive, ',') }
end
local function begin(why)
  epoch, cause, since, claims = new_epoch, why, math.max(now, known_since + 1), 0
  redis.call('DEL', key)
  redis.call('HSET', key, 'epoch', epoch, 'run', run, 'cause', why, 'since', number(since), 'claims', 0)
  for other, state in pairs(others) do
    redis.call('HSET', key, 'process:' .. other, number(state.checked) .. '|' .. state.vouched)
  end
  present(now)
  return reply(1)
end
local function prove()
  redis.call('HSET', key, 'run', run)
  redis.call('HDEL', key, 'doubt')
  present(now)
  for other, state in pairs(others) do
    if state.checked < now - ${FORGOTTEN_MS} then redis.call('HDEL', key, 'process:' .. other, 'claims:' .. other) end
  end
  return reply(1)
end

if not epoch then return begin(known_epoch == '' and 'new' or 'lost') end
local is_same = known_epoch == epoch
local own = tonumber(fields['claims:' .. id] or 0)
if is_same and (claims < known_claims or own < known_own) then return begin('lost') end
-- An older epoch than the one that this process knows was restored.
if not is_same and since < known_since then return begin('lost') end
if fields.run == run then return prove() end

if is_same then
  present(own_checked)
  local all = true
  for other, state in pairs(others) do
    if state.vouched ~= run and state.checked >= own_checked - ${ALIVE_MS} then all = false end
  end
  for other in string.gmatch(known_others, '[^,]+') do
    if not others[other] then all = false end
  end
  if all then return prove() end
end
local doubted_run, doubted_at = string.match(fields.doubt or '', '^([^|]+)|(%d+)$')
if doubted_run ~= run then
  redis.call('HSET', key, 'doubt', run .. '|' .. number(now))
  return reply(0)
end
if now - doubted_at < ${VOUCH_MS} then return reply(0) end
return begin('unproved')
`;

/** Removes the fields of a process that ends, so that other processes don't wait for it to vouch. */
const leave = `return redis.call('HDEL', KEYS[1], 'process:' .. ARGV[1], 'claims:' .. ARGV[1]) and nil`;

export const continuityScripts: NonNullable<RedisOptions['scripts']> = {
  continuityCheck: { lua: check, numberOfKeys: 1 },
  continuityLeave: { lua: leave, numberOfKeys: 1 },
};

/** Continuity of the data as this process knows it, with the server's clock. */
export interface RedisContinuity {
  /** Id of this process in the commits of its claims. */
  readonly process: string;
  check(): Promise<Continuity>;
  /** Stores the counters that a commit returned: claims of all processes, and of this one. */
  counted(epoch: string, claims: number, own: number): void;
  /** Removes this process when it ends. Its claims stay counted. */
  leave(): Promise<void>;
  now(): number;
}

/** Creates the continuity of a process. `call` repeats a call after a lost connection. */
export function createRedisContinuity({
  call,
}: {
  call: <T>(run: (redis: Redis) => Promise<T>, patienceMs?: number) => Promise<T>;
}): RedisContinuity {
  const process = randomUUID();
  let known: { epoch: string; since: number; claims: number; own: number; others: string } | undefined;
  /** Server time in milliseconds at the origin of this process's monotonic clock. */
  let origin: number | undefined;

  function readClock(serverMs: number, begunMs: number): void {
    const endedMs = performance.now();
    if (origin !== undefined && endedMs - begunMs > MAX_ROUND_TRIP_MS) return;
    origin = serverMs - (begunMs + endedMs) / 2;
  }

  return {
    process,
    async check() {
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
        const before = known?.epoch === epoch ? known : { claims: 0, own: 0 };
        const most = Math.max(before.claims, counted);
        known = { epoch, since: Number(since), claims: most, own: before.own, others: alive };
      }
      return {
        isProved: isProved === 1,
        epoch,
        run,
        cause: causeOf(cause),
        ageMs: Number(time) - Number(since),
      };
    },
    counted(epoch, claims, own) {
      if (known?.epoch !== epoch) return;
      known = { ...known, claims: Math.max(known.claims, claims), own: Math.max(known.own, own) };
    },
    async leave() {
      if (known) await call((redis) => redis.continuityLeave(CONTINUITY.keys, process), LEAVE_PATIENCE_MS);
    },
    now: () => (origin === undefined ? Date.now() : Math.round(origin + performance.now())),
  };
}

/** Parses a cause. An unknown one, changed from outside, counts as `lost`. */
function causeOf(text: string): Continuity['cause'] {
  return text === 'new' || text === 'unproved' ? text : 'lost';
}
