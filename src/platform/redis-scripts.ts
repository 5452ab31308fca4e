import type { RedisOptions, Result } from 'ioredis';
import { CONVERSATION_TTL_MS, EMPTY_CHAT_TTL_MS, KNOWN } from './storage.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    chatBegin(
      chat: string,
      conversation: string,
      token: string,
      update: number,
      leaseMs: number,
    ): Result<
      [
        kind: string,
        number?: number,
        session?: string | null,
        conversation?: string | null,
        aside?: number | null,
      ],
      Context
    >;
    chatCommit(
      chat: string,
      conversationKey: string,
      record: string,
      continuity: string,
      token: string,
      update: number,
      session: string,
      conversation: string,
      ...claim: string[]
    ): Result<[kind: string, claims?: number, own?: number], Context>;
    chatRelease(chat: string, token: string, uncounted: number): Result<number, Context>;
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
    storageAdd(key: string, value: string, ttlMs: number): Result<number, Context>;
    storageReplace(
      key: string,
      expected: string,
      value: string,
      ttlMs: number | 'kept',
    ): Result<number, Context>;
    storageReplaceAndAdd(
      key: string,
      besideKey: string,
      expected: string,
      value: string,
      ttlMs: number,
      besideValue: string,
      besideTtlMs: number,
    ): Result<[replaced: number, added: number], Context>;
    storageLimitTtl(key: string, expected: string, ttlMs: number): Result<number, Context>;
    storageDelete(key: string, expected: string): Result<number, Context>;
    indexPut(index: string, member: string, score: number, ttlMs: number): Result<number, Context>;
    indexMove(
      index: string,
      from: string,
      other: string,
      member: string,
      inMs: number,
    ): Result<number, Context>;
    indexScheduleIn(index: string, member: string, inMs: number, ttlMs: number): Result<number, Context>;
    indexScheduleIfMissing(index: string, member: string, inMs: number): Result<number, Context>;
    indexScheduleNoLaterThan(index: string, member: string, inMs: number): Result<number, Context>;
    indexBefore(index: string, member: string, limit: number): Result<string[], Context>;
    indexDue(index: string, limit: number, longestMs: number): Result<string[], Context>;
    indexTakeDue(index: string, limit: number, longestMs: number, inMs: number): Result<string[], Context>;
    indexOverdue(index: string): Result<string | null, Context>;
    storageReplicas(): Result<string, Context>;
    storageValueAndReplicas(key: string): Result<[replicas: string, value: string | null], Context>;
    storageDurability(): Result<[appendOnly: string, eviction: string], Context>;
  }
}

/** Lua function that writes a value with its TTL: in milliseconds, 0 for none, or `kept`. */
const put = `
local function put(key, value, ttl)
  if ttl == 'kept' then redis.call('SET', key, value, 'KEEPTTL')
  elseif tonumber(ttl) > 0 then redis.call('SET', key, value, 'PX', ttl)
  else redis.call('SET', key, value) end
end
`;

/** Lua function that returns the server's time in epoch milliseconds, so that replicas' clocks don't matter. */
const time = `
local function time()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/**
 * Lua function that returns due members. First makes members due that are scheduled later than the longest time from
 * now, which only happens if the clock was set back.
 */
const due = `${time}
local function due(now, limit, longest)
  local late = redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', string.format('(%.0f', now + longest), 'LIMIT', 0, limit)
  for _, member in ipairs(late) do redis.call('ZADD', KEYS[1], string.format('%.0f', now), member) end
  return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now), 'LIMIT', 0, limit)
end
`;

/**
 * Lua function that reads a line of INFO. Returning a whole section costs a hundred times as much, and ioredis doesn't
 * pipeline INFO.
 */
const info = `
local function info(section, name)
  return string.match(redis.call('INFO', section), name .. ':([^\\r\\n]*)') or ''
end
`;

/** Lua functions that write a value if nothing else is stored, and if `expected` is stored. Return 1 or 0. */
const values = `${put}
local function add(key, value, ttl)
  local found = redis.call('GET', key)
  if found then return found == value and 1 or 0 end
  put(key, value, ttl)
  return 1
end
local function replace(key, expected, value, ttl)
  local found = redis.call('GET', key)
  if found == expected then
    put(key, value, ttl)
    return 1
  end
  return found == value and 1 or 0
end
`;

/** TTL of a chat after its last update, in milliseconds. For clean-up only. A chat without a session expires sooner. */
const SILENCE_MS = 180 * 24 * 60 * 60 * 1000;

/** Sizes of the rings in bytes, with 4 per entry. */
const HANDLED = 4 * KNOWN.handled;
const COMMITTED = 4 * KNOWN.committed;

/**
 * Lua functions of rings. A ring is a string of the newest entries, 4 bytes each: update ids, or fingerprints of
 * tokens.
 */
const ring = `
local function contains(ring, entry)
  local at = 0
  repeat at = string.find(ring, entry, at + 1, true) until not at or at % 4 == 1
  return at ~= nil
end
local function push(ring, entry, size)
  return string.sub(ring .. entry, -size)
end
local function fingerprint(token)
  return struct.pack('>I4', tonumber(string.sub(redis.sha1hex(token), 1, 8), 16))
end
`;

/** Lua pattern of a lease. Accepts any update id: Telegram's are positive, and other ones do no harm. */
const LEASE = `'^(.*)|(%d+)|([^|]+)|(%d+)$'`;

/**
 * Starts an update of a chat. The chat's hash has these fields:
 *
 * - `lease`: `token|expiry|update|attempt`, with an empty token once released.
 * - `failed`: attempts of up to 8 other updates that were started but never committed, newest first.
 * - `handled`, `committed`: rings of the last update ids and the last tokens.
 *
 * An unreadable lease is ignored and reported in the reply. An open conversation has its own key with a shorter TTL,
 * because a hash has one TTL for all fields.
 */
const begin = `${ring}${time}
local chat, conversation = KEYS[1], KEYS[2]
local token, update, lease_ms = ARGV[1], ARGV[2], ARGV[3]
local found = redis.call('HMGET', chat, 'lease', 'failed', 'handled', 'session')
local lease, failed, handled = found[1], found[2] or '', found[3] or ''
-- Values longer than any script writes would only slow down Redis.
if #failed > 400 then failed = '' end
if #handled > ${HANDLED} then handled = string.sub(handled, -${HANDLED}) end
if contains(handled, struct.pack('>I4', update)) then return {'handled'} end

local now = time()
local attempt = 1
local counts = failed
local aside = false
if lease then
  local holder, expiry, begun, count = string.match(lease, ${LEASE})
  if holder and tonumber(expiry) > now + lease_ms then
    -- The clock was set back since then. The lease counts as taken just now, so that it expires.
    expiry = string.format('%.0f', now + lease_ms)
    redis.call('HSET', chat, 'lease', holder .. '|' .. expiry .. '|' .. begun .. '|' .. count)
  end
  if not holder then
    aside = 1
  elseif holder == token and begun == update then
    attempt = tonumber(count)
  elseif tonumber(expiry) > now then
    return {'busy', tonumber(expiry) - now}
  elseif begun == update then
    attempt = count + 1
  else
    counts = begun .. ':' .. count .. ',' .. counts
  end
end

if counts ~= '' then
  local kept = {}
  for id, count in string.gmatch(counts, '([^:,]+):(%d+)') do
    if id == update then attempt = count + 1 elseif #kept < 8 then kept[#kept + 1] = id .. ':' .. count end
  end
  counts = table.concat(kept, ',')
end
local expiry = string.format('%.0f', now + lease_ms)
-- First write: a full Redis then rejects the whole script. It would accept HDEL, and then all later writes.
redis.call('HSET', chat, 'lease', token .. '|' .. expiry .. '|' .. update .. '|' .. attempt)
if counts == '' then
  redis.call('HDEL', chat, 'failed')
elseif counts ~= found[2] then
  redis.call('HSET', chat, 'failed', counts)
end
redis.call('PEXPIRE', chat, ${SILENCE_MS})
return {'granted', attempt, found[4], redis.call('GET', conversation), aside}
`;

/**
 * Lets the following writes of a script succeed although Redis is full: Redis checks only the first write of a script,
 * and always accepts PEXPIRE. For scripts that end an update, so that no update is half done and no chat stays leased.
 */
const evenIfFull = `redis.call('PEXPIRE', KEYS[1], ${SILENCE_MS})`;

/**
 * Commits an update. A change is '' (keep), '-' (remove) or '=' and the value. KEYS[3] is the claim's record, or the
 * chat again. ARGV[8] is the epoch of a counted claim, or '', and ARGV[9] the process that counts it.
 */
const commit = `${ring}${put}
local chat, conversation, record, continuity = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local token, update = ARGV[1], ARGV[2]
local found = redis.call('HMGET', chat, 'lease', 'handled', 'committed')
local lease = found[1]
local handled, committed = string.sub(found[2] or '', -${HANDLED}), string.sub(found[3] or '', -${COMMITTED})
if not lease or string.match(lease, ${LEASE}) ~= token then
  return { contains(committed, fingerprint(token)) and 'committed' or 'lost' }
end
local claims, own
if ARGV[5] then
  if redis.call('GET', record) ~= ARGV[5] then return { 'conflict' } end
  if ARGV[8] ~= '' then
    if redis.call('HGET', continuity, 'epoch') ~= ARGV[8] then return { 'conflict' } end
    claims = redis.call('HINCRBY', continuity, 'claims', 1)
    own = redis.call('HINCRBY', continuity, 'claims:' .. ARGV[9], 1)
  end
  put(record, ARGV[6], ARGV[7])
else
  ${evenIfFull}
end
if ARGV[3] == '-' then
  redis.call('HDEL', chat, 'session')
elseif ARGV[3] ~= '' then
  redis.call('HSET', chat, 'session', string.sub(ARGV[3], 2))
end
if ARGV[4] == '-' then
  redis.call('DEL', conversation)
elseif ARGV[4] ~= '' then
  put(conversation, string.sub(ARGV[4], 2), ${CONVERSATION_TTL_MS})
end
redis.call('HSET', chat, 'handled', push(handled, struct.pack('>I4', update), ${HANDLED}),
  'committed', push(committed, fingerprint(token), ${COMMITTED}))
-- Last: removing the only field would delete the hash and its TTL.
redis.call('HDEL', chat, 'lease')
if redis.call('HEXISTS', chat, 'session') == 0 then redis.call('PEXPIRE', chat, ${EMPTY_CHAT_TTL_MS}) end
return { 'committed', claims, own }
`;

const release = `
local lease = redis.call('HGET', KEYS[1], 'lease')
if not lease then return 0 end
local holder, expiry, update, attempt = string.match(lease, ${LEASE})
if holder ~= ARGV[1] then return 0 end
${evenIfFull}
return redis.call('HSET', KEYS[1], 'lease', '|0|' .. update .. '|' .. attempt - ARGV[2])
`;

/**
 * Time after a restart of Redis for all surviving processes to verify the data, in milliseconds. Each of them checks as
 * soon as it has reconnected, which takes a second at most.
 */
const VERIFY_MS = 5_000;
/**
 * A process counts as alive if its check is at most this much older than another's, in milliseconds. Longer than the
 * pause between checks.
 */
const ALIVE_MS = 15_000;
/** Time without a check after which the fields of a process are removed, in milliseconds. */
const FORGOTTEN_MS = 10 * 60_000;

/**
 * Compares the stored epoch, run and claim counters with the server's run and with the values that this process saw.
 * The epoch of a process that saw none is empty. A run is the server's run id and its replication id, which changes
 * when the server becomes a replica.
 *
 * In a new run, every process that was alive must verify it: the counter may lack the last claims that another process saw.
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
    local checked, verified = string.match(value, '^(%d+)|(.*)$')
    others[other] = { checked = tonumber(checked or 0), verified = verified or '' }
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
    redis.call('HSET', key, 'process:' .. other, number(state.checked) .. '|' .. state.verified)
  end
  present(now)
  return reply(1)
end
local function prove()
  redis.call('HSET', key, 'run', run)
  redis.call('HDEL', key, 'doubt')
  present(now)
  for other, state in pairs(others) do
    -- Also by this process's last check: the others' checks look old right after the clock was set forward.
    if state.checked < math.min(now, own_checked) - ${FORGOTTEN_MS} then redis.call('HDEL', key, 'process:' .. other, 'claims:' .. other) end
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
    if state.verified ~= run and state.checked >= own_checked - ${ALIVE_MS} then all = false end
  end
  for other in string.gmatch(known_others, '[^,]+') do
    if not others[other] then all = false end
  end
  if all then return prove() end
end
local doubted_run, doubted_at = string.match(fields.doubt or '', '^([^|]+)|(%d+)$')
-- A doubt from before the clock was set back begins anew.
if doubted_run ~= run or tonumber(doubted_at) > now then
  redis.call('HSET', key, 'doubt', run .. '|' .. number(now))
  return reply(0)
end
if now - doubted_at < ${VERIFY_MS} then return reply(0) end
return begin('unproved')
`;

/** Lua of the scripts, by their number of keys, which is fixed, as a Cluster requires. Each is safe to repeat. */
const LUA: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  0: {
    storageReplicas: `${info}return info('replication', 'connected_slaves')`,
    storageDurability: `${info}return { info('persistence', 'aof_enabled'), info('memory', 'maxmemory_policy') }`,
  },
  1: {
    chatRelease: release,
    continuityCheck: check,
    // Removes the fields of a process that ends, so that other processes don't wait for it to verify the data.
    continuityLeave:
      "return redis.call('HDEL', KEYS[1], 'process:' .. ARGV[1], 'claims:' .. ARGV[1]) and nil",
    storageAdd: `${values}return add(KEYS[1], ARGV[1], ARGV[2])`,
    storageReplace: `${values}return replace(KEYS[1], ARGV[1], ARGV[2], ARGV[3])`,
    storageLimitTtl: `
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[2]) then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`,
    storageDelete: "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0",
    storageValueAndReplicas: `${info}return { info('replication', 'connected_slaves'), redis.call('GET', KEYS[1]) }`,
    indexPut: `
local added = redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
if tonumber(ARGV[3]) > 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return added
`,
    indexScheduleIn: `${time}
local added = redis.call('ZADD', KEYS[1], string.format('%.0f', time() + ARGV[2]), ARGV[1])
if tonumber(ARGV[3]) > 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return added
`,
    indexScheduleIfMissing: `${time}
return redis.call('ZADD', KEYS[1], 'NX', string.format('%.0f', time() + ARGV[2]), ARGV[1])
`,
    indexScheduleNoLaterThan: `${time}
return redis.call('ZADD', KEYS[1], 'LT', string.format('%.0f', time() + ARGV[2]), ARGV[1])
`,
    indexBefore: `
local rank = redis.call('ZREVRANK', KEYS[1], ARGV[1])
if not rank then return {} end
return redis.call('ZREVRANGE', KEYS[1], rank + 1, rank + ARGV[2])
`,
    indexDue: `${due}return due(time(), ARGV[1], ARGV[2])`,
    indexTakeDue: `${due}
local now = time()
local taken = due(now, ARGV[1], ARGV[2])
for _, member in ipairs(taken) do
  redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[3]), member)
end
return taken
`,
    indexOverdue: `${time}
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local ms = first[2] and time() - first[2]
return ms and ms >= 0 and string.format('%.0f', ms)
`,
  },
  2: {
    chatBegin: begin,
    storageReplaceAndAdd: `${values}
if replace(KEYS[1], ARGV[1], ARGV[2], ARGV[3]) == 0 then return {0, 0} end
return {1, add(KEYS[2], ARGV[4], ARGV[5])}
`,
  },
  3: {
    indexMove: `${time}
local added = redis.call('ZADD', KEYS[1], string.format('%.0f', time() + ARGV[2]), ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return 1 - added
`,
  },
  4: { chatCommit: commit },
};

export const scripts: NonNullable<RedisOptions['scripts']> = Object.fromEntries(
  Object.entries(LUA).flatMap(([numberOfKeys, byName]) =>
    Object.entries(byName).map(([name, lua]) => [name, { lua, numberOfKeys: Number(numberOfKeys) }]),
  ),
);
