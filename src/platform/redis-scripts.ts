import type { RedisOptions, Result } from 'ioredis';
import { continuityScripts } from './redis-continuity.ts';
import { info, put, time } from './redis-lua.ts';
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
  }
}

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
  -- No lease is longer than a minute.
  if not holder or tonumber(expiry) > now + lease_ms + 60000 then
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

/** Scripts of chat transactions. */
const chatScripts: NonNullable<RedisOptions['scripts']> = {
  chatBegin: { lua: begin, numberOfKeys: 2 },
  chatCommit: { lua: commit, numberOfKeys: 4 },
  chatRelease: { lua: release, numberOfKeys: 1 },
};

declare module 'ioredis' {
  interface RedisCommander<Context> {
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
    storageDelete(key: string, expected: string): Result<number, Context>;
    indexPut(index: string, member: string, score: number, ttlMs: number): Result<number, Context>;
    indexMoveIn(
      index: string,
      from: string,
      other: string,
      member: string,
      inMs: number,
    ): Result<number, Context>;
    indexPutIn(index: string, member: string, inMs: number, ttlMs: number): Result<number, Context>;
    indexPutWithin(index: string, member: string, inMs: number): Result<number, Context>;
    indexBefore(index: string, member: string, limit: number): Result<string[], Context>;
    indexDue(index: string, limit: number): Result<string[], Context>;
    indexOverdue(index: string): Result<string | null, Context>;
    storageReplicas(): Result<string, Context>;
    storageStands(key: string): Result<[replicas: string, value: string | null], Context>;
    storageDurability(): Result<[appendOnly: string, eviction: string], Context>;
  }
}

const adding = `${put}
local function add(key, value, ttl)
  local found = redis.call('GET', key)
  if found then return found == value and 1 or 0 end
  put(key, value, ttl)
  return 1
end
`;

const replacing = `${put}
local function replace(key, expected, value, ttl)
  local found = redis.call('GET', key)
  if found == expected then
    put(key, value, ttl)
    return 1
  end
  return found == value and 1 or 0
end
`;

const add = `${adding}
return add(KEYS[1], ARGV[1], ARGV[2])
`;

const replace = `${replacing}
return replace(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
`;

const replaceAndAdd = `${adding}${replacing}
if replace(KEYS[1], ARGV[1], ARGV[2], ARGV[3]) == 0 then return {0, 0} end
return {1, add(KEYS[2], ARGV[4], ARGV[5])}
`;

const remove = `
return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0
`;

const putScore = `
local added = redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
if tonumber(ARGV[3]) > 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return added
`;

const move = `${time}
local added = redis.call('ZADD', KEYS[1], string.format('%.0f', time() + ARGV[2]), ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return 1 - added
`;

const scheduleIn = `${time}
local added = redis.call('ZADD', KEYS[1], string.format('%.0f', time() + ARGV[2]), ARGV[1])
if tonumber(ARGV[3]) > 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return added
`;

const scheduleNoLaterThan = `${time}
return redis.call('ZADD', KEYS[1], 'LT', string.format('%.0f', time() + ARGV[2]), ARGV[1])
`;

const before = `
local rank = redis.call('ZREVRANK', KEYS[1], ARGV[1])
if not rank then return {} end
return redis.call('ZREVRANGE', KEYS[1], rank + 1, rank + ARGV[2])
`;

const due = `${time}
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', time()), 'LIMIT', 0, ARGV[1])
`;

const overdue = `${time}
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local ms = first[2] and time() - first[2]
return ms and ms >= 0 and string.format('%.0f', ms)
`;

const stands = `${info}
return { info('replication', 'connected_slaves'), redis.call('GET', KEYS[1]) }
`;

const replicas = `${info}
return info('replication', 'connected_slaves')
`;

const durability = `${info}
return { info('persistence', 'aof_enabled'), info('memory', 'maxmemory_policy') }
`;

/** All scripts. Each is safe to repeat after a lost response. The number of keys is fixed, as a Cluster requires. */
export const scripts: NonNullable<RedisOptions['scripts']> = {
  ...chatScripts,
  ...continuityScripts,
  storageAdd: { lua: add, numberOfKeys: 1 },
  storageReplace: { lua: replace, numberOfKeys: 1 },
  storageReplaceAndAdd: { lua: replaceAndAdd, numberOfKeys: 2 },
  storageDelete: { lua: remove, numberOfKeys: 1 },
  indexPut: { lua: putScore, numberOfKeys: 1 },
  indexMoveIn: { lua: move, numberOfKeys: 3 },
  indexPutIn: { lua: scheduleIn, numberOfKeys: 1 },
  indexPutWithin: { lua: scheduleNoLaterThan, numberOfKeys: 1 },
  indexBefore: { lua: before, numberOfKeys: 1 },
  indexDue: { lua: due, numberOfKeys: 1 },
  indexOverdue: { lua: overdue, numberOfKeys: 1 },
  storageReplicas: { lua: replicas, numberOfKeys: 0 },
  storageStands: { lua: stands, numberOfKeys: 1 },
  storageDurability: { lua: durability, numberOfKeys: 0 },
};
