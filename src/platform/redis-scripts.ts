import type { RedisOptions, Result } from 'ioredis';
import { CONVERSATION_TTL_MS, EMPTY_CHAT_TTL_MS, KNOWN, LOSS_LASTS_MS, UNLISTED_MS } from './storage.ts';

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
    ): Result<string, Context>;
    chatRelease(chat: string, token: string, uncounted: number): Result<number, Context>;
    continuityCheck(
      key: string,
      knownEpoch: string,
      seen: number,
      newEpoch: string,
      isExpected?: 0 | 1,
    ): Result<[epoch: string, cause: string, count: number, since: string, time: string], Context>;
    /** Takes the keys of the value and of the changes, the value, its TTL, and the changes. */
    storageSet(numberOfKeys: number, ...given: (string | number)[]): Result<number, Context>;
    storageAdd(numberOfKeys: number, ...given: (string | number)[]): Result<number, Context>;
    /** Works like `storageAdd`, with the expected value before the value. */
    storageReplace(numberOfKeys: number, ...given: (string | number)[]): Result<number, Context>;
    /** Takes the two keys and those of the changes, the expected value, both values with TTLs, and the changes. */
    storageReplaceAndAdd(
      numberOfKeys: number,
      ...given: (string | number)[]
    ): Result<[replaced: number, added: number], Context>;
    storageLimitTtl(key: string, expected: string, ttlMs: number): Result<number, Context>;
    /** Takes the keys of the value and of the changes, `=` and the expected value or an empty text, and the changes. */
    storageDelete(numberOfKeys: number, ...given: (string | number)[]): Result<number, Context>;
    storageNextNumber(key: string): Result<number, Context>;
    storageListNames(list: string): Result<string[] | null, Context>;
    /** Takes the list and keys, and the name of each key in the list or an empty text. Returns the positions of the keys. */
    storageExisting(numberOfKeys: number, ...given: string[]): Result<number[], Context>;
    /** Takes the list and keys, and the name of each key. Returns the positions of the keys that were added. */
    storageAddToList(numberOfKeys: number, ...given: string[]): Result<number[], Context>;
    indexPut(index: string, member: string, score: number, ttlMs: number): Result<number, Context>;
    indexMove(
      numberOfKeys: number,
      index: string,
      ...fromAndTime: [...from: string[], member: string, inMs: number]
    ): Result<number, Context>;
    indexLease(
      numberOfKeys: number,
      index: string,
      ...fromAndTime: [...from: string[], member: string, inMs: number]
    ): Result<number, Context>;
    indexScheduleIn(index: string, member: string, inMs: number, ttlMs: number): Result<number, Context>;
    /** Takes the condition of ZADD, and the members with their delays. */
    indexScheduleAll(
      index: string,
      condition: 'NX' | 'LT',
      ...times: (string | number)[]
    ): Result<number, Context>;
    indexBefore(index: string, member: string, limit: number): Result<string[], Context>;
    indexDue(index: string, limit: number, longestMs: number): Result<string[], Context>;
    indexTakeDue(index: string, limit: number, longestMs: number, inMs: number): Result<string[], Context>;
    /** Takes the indexes, limit, number of reserved members, lease, and the longest delay of each other index. */
    indexLeaseDue(numberOfKeys: number, ...given: (string | number)[]): Result<(string | number)[], Context>;
    indexFirstDue(index: string): Result<string | null, Context>;
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
local function due(index, now, limit, longest)
  local late = redis.call('ZREVRANGEBYSCORE', index, '+inf', string.format('(%.0f', now + longest), 'LIMIT', 0, limit)
  for _, member in ipairs(late) do redis.call('ZADD', index, string.format('%.0f', now), member) end
  return redis.call('ZRANGEBYSCORE', index, '-inf', string.format('%.0f', now), 'LIMIT', 0, limit)
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

/**
 * Lua function that returns the server's run id and replication id, or `nil` if it doesn't report both. The run id
 * changes at a restart. The replication id changes when a replica becomes the master, and when a server takes over
 * another one's data.
 */
const run = `${info}
local function run()
  local id, replication = info('server', 'run_id'), info('replication', 'master_replid')
  return id ~= '' and replication ~= '' and id .. ':' .. replication or nil
end
`;

/**
 * Lua functions that write a value if nothing else is stored, and if `expected` is stored. Return 1 or 0, and whether this
 * call wrote the value.
 */
const values = `${put}
local function add(key, value, ttl)
  local found = redis.call('GET', key)
  if found then return found == value and 1 or 0, false end
  put(key, value, ttl)
  return 1, true
end
local function replace(key, expected, value, ttl)
  local found = redis.call('GET', key)
  if found == expected then
    put(key, value, ttl)
    return 1, true
  end
  return found == value and 1 or 0, false
end
`;

/**
 * Lua function that applies the changes of a write, whose keys are KEYS[from] and later. The last arguments are the
 * command, its two arguments and the TTL for each of them, 0 for none. The write stays if a change fails, for example
 * because another value is stored there.
 */
const change = `
local function change(from)
  for at = from, #KEYS do
    local first = #ARGV - 4 * (#KEYS - at + 1) + 1
    redis.pcall(ARGV[first], KEYS[at], ARGV[first + 1], ARGV[first + 2])
    if tonumber(ARGV[first + 3]) > 0 then redis.pcall('PEXPIRE', KEYS[at], ARGV[first + 3]) end
  end
end
local function with_changes(result, written)
  if written then change(2) end
  return result
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
 * chat again. A claim that is bound to an epoch has it in ARGV[8], and the highest count of checks that its process saw
 * in ARGV[9].
 */
const commit = `${ring}${put}${run}
local chat, conversation, record, continuity = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local token, update = ARGV[1], ARGV[2]
local found = redis.call('HMGET', chat, 'lease', 'handled', 'committed')
local lease = found[1]
local handled, committed = string.sub(found[2] or '', -${HANDLED}), string.sub(found[3] or '', -${COMMITTED})
if not lease or string.match(lease, ${LEASE}) ~= token then
  return contains(committed, fingerprint(token)) and 'committed' or 'lost'
end
if ARGV[5] then
  if redis.call('GET', record) ~= ARGV[5] then return 'conflict' end
  if ARGV[8] then
    local found = redis.call('HMGET', continuity, 'epoch', 'run', 'count')
    if found[1] ~= ARGV[8] or found[2] ~= run() then return 'conflict' end
    if (tonumber(found[3]) or 0) < tonumber(ARGV[9]) then return 'conflict' end
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
return 'committed'
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
 * Begins a new epoch if none is stored, if the server's run differs, or if the count of checks is lower than this
 * process saw. An epoch that begins soon after a loss is lost too. Raises the count. `from` is the count with which the
 * epoch began. A process that knows another epoch compares it, because the count may have grown since. ARGV[4] is 1 if
 * an epoch must be stored, because there is data from before.
 */
const check = `${run}${time}
local key, known, seen, new_epoch = KEYS[1], ARGV[1], tonumber(ARGV[2]), ARGV[3]
local present, now = run(), string.format('%.0f', time())
if not present then return { '', 'unreadable', 0, now, now } end
local epoch, stored, cause, since, from, count = unpack(redis.call('HMGET', key, 'epoch', 'run', 'cause', 'since', 'from', 'count'))
from, count = tonumber(from) or 0, tonumber(count) or 0
local isLost = (epoch == known and count or from) < seen or not epoch and ARGV[4] == '1'
if not epoch or isLost or stored ~= present then
  local wasLost = cause == 'lost' and now - (tonumber(since) or now) < ${LOSS_LASTS_MS}
  cause = (isLost or wasLost) and 'lost' or not epoch and 'new' or known == '' and 'unproved' or 'restarted'
  from, count = isLost and math.max(count, seen) or count, math.max(count, seen)
  epoch, since = new_epoch, now
elseif cause == 'unproved' and known ~= '' and known ~= epoch then
  cause = 'restarted'
end
count = count + 1
redis.call('HSET', key, 'epoch', epoch, 'run', present, 'cause', cause, 'since', since,
  'from', string.format('%.0f', from), 'count', string.format('%.0f', count))
return { epoch, cause, count, since, now }
`;

/** Lua of the scripts with a fixed number of keys, by that number. Each script is safe to repeat. */
const LUA: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  0: {
    storageDurability: `${info}return { info('persistence', 'aof_enabled'), info('memory', 'maxmemory_policy') }`,
  },
  1: {
    chatRelease: release,
    continuityCheck: check,
    storageLimitTtl: `
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[2]) then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`,
    storageNextNumber: `
local number = (tonumber(redis.pcall('GET', KEYS[1])) or 0) + 1
redis.call('SET', KEYS[1], string.format('%.0f', number))
return number
`,
    storageListNames: `
local names = redis.pcall('ZRANGE', KEYS[1], 0, -1)
if not names.err then return names end
redis.call('DEL', KEYS[1])
return false
`,
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
    indexScheduleAll: `${time}
local now = time()
for at = 2, #ARGV, 2 do
  redis.call('ZADD', KEYS[1], ARGV[1], string.format('%.0f', now + ARGV[at + 1]), ARGV[at])
end
return 0
`,
    indexBefore: `
local rank = redis.call('ZREVRANK', KEYS[1], ARGV[1])
if not rank then return {} end
return redis.call('ZREVRANGE', KEYS[1], rank + 1, rank + ARGV[2])
`,
    indexDue: `${due}return due(KEYS[1], time(), ARGV[1], ARGV[2])`,
    indexTakeDue: `${due}
local now = time()
local taken = due(KEYS[1], now, ARGV[1], ARGV[2])
for _, member in ipairs(taken) do
  redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[3]), member)
end
return taken
`,
    indexFirstDue: `${time}
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return first[2] and string.format('%.0f', first[2] - time())
`,
  },
  2: {
    chatBegin: begin,
  },
  4: { chatCommit: commit },
};

const move = `${time}
local added = redis.call('ZADD', KEYS[1], string.format('%.0f', time() + ARGV[2]), ARGV[1])
for from = 2, #KEYS do redis.call('ZREM', KEYS[from], ARGV[1]) end
return 1 - added
`;

/** Returns the positions of existing keys, and removes the names of the others from the list. */
const existing = `
local found = {}
for at = 2, #KEYS do
  if redis.call('EXISTS', KEYS[at]) == 1 then found[#found + 1] = at - 2
  elseif ARGV[at - 1] ~= '' then redis.call('ZREM', KEYS[1], ARGV[at - 1]) end
end
return found
`;

const addToList = `
local added = {}
for at = 2, #KEYS do
  local ttl = redis.call('PTTL', KEYS[at])
  if (ttl == -1 or ttl > ${UNLISTED_MS}) and redis.call('ZADD', KEYS[1], 'NX', 0, ARGV[at - 1]) == 1 then
    added[#added + 1] = at - 2
  end
end
return added
`;

const lease = `${time}
local now, score = time(), redis.call('ZSCORE', KEYS[1], ARGV[1])
if score and tonumber(score) > now then return 0 end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
for from = 2, #KEYS do redis.call('ZREM', KEYS[from], ARGV[1]) end
return 1
`;

/**
 * Leases due members. KEYS[1] is the index of leased members. A due member that is leased counts against the number of
 * members that are read, so as many more are read as there can be.
 */
const leaseDue = `${due}
local now, leased = time(), KEYS[1]
local limit, reserved, lease = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local taken = {}
local function take(at, most)
  local longest = at == 1 and lease or ARGV[at + 2]
  local count = most - #taken / 2
  if count <= 0 then return end
  for _, member in ipairs(due(KEYS[at], now, count + redis.call('ZCARD', leased), longest)) do
    if #taken / 2 >= most then return end
    local until_ms = redis.call('ZSCORE', leased, member)
    if not until_ms or tonumber(until_ms) <= now then
      local first = #KEYS - 1
      for from = #KEYS, 2, -1 do
        local score = redis.call('ZSCORE', KEYS[from], member)
        if score then
          if tonumber(score) <= now then first = from - 2 end
          redis.call('ZREM', KEYS[from], member)
        end
      end
      redis.call('ZADD', leased, string.format('%.0f', now + lease), member)
      taken[#taken + 1] = member
      taken[#taken + 1] = first
    end
  end
end
for at = 2, #KEYS do take(at, limit - reserved) end
take(1, limit)
for at = #KEYS, 2, -1 do take(at, limit) end
return taken
`;

export const scripts: NonNullable<RedisOptions['scripts']> = {
  ...Object.fromEntries(
    Object.entries(LUA).flatMap(([numberOfKeys, byName]) =>
      Object.entries(byName).map(([name, lua]) => [name, { lua, numberOfKeys: Number(numberOfKeys) }]),
    ),
  ),
  indexMove: { lua: move },
  storageSet: {
    lua: `${put}${change}
put(KEYS[1], ARGV[1], ARGV[2])
return with_changes(1, true)
`,
  },
  storageAdd: { lua: `${values}${change}return with_changes(add(KEYS[1], ARGV[1], ARGV[2]))` },
  storageReplace: {
    lua: `${values}${change}return with_changes(replace(KEYS[1], ARGV[1], ARGV[2], ARGV[3]))`,
  },
  storageReplaceAndAdd: {
    lua: `${values}${change}
if (replace(KEYS[1], ARGV[1], ARGV[2], ARGV[3])) == 0 then return {0, 0} end
local added = add(KEYS[2], ARGV[4], ARGV[5])
change(3)
return {1, added}
`,
  },
  storageDelete: {
    lua: `${change}
if ARGV[1] ~= '' and '=' .. (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
local deleted = redis.call('DEL', KEYS[1])
return with_changes(deleted, deleted == 1)
`,
  },
  storageExisting: { lua: existing },
  storageAddToList: { lua: addToList },
  indexLease: { lua: lease },
  indexLeaseDue: { lua: leaseDue },
};
