import type { RedisOptions, Result } from 'ioredis';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    storageAdd(key: string, value: string, ttlMs: number | 'kept'): Result<number, Context>;
    storageReplace(
      key: string,
      expected: string,
      value: string,
      ttlMs: number | 'kept',
    ): Result<number, Context>;
    indexPutIn(index: string, member: string, inMs: number): Result<number, Context>;
    indexDue(index: string, limit: number): Result<string[], Context>;
    chatBegin(
      chat: string,
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
      record: string,
      token: string,
      update: number,
      session: string,
      conversation: string,
      ...claim: string[]
    ): Result<string, Context>;
    chatRelease(chat: string, token: string, uncounted: number): Result<number, Context>;
  }
}

/** Clean-up only: a chat that nobody wrote in for this long starts from nothing. */
const SILENCE_MS = 180 * 24 * 60 * 60 * 1000;

const put = `
local function put(key, value, ttl)
  if ttl == 'kept' then redis.call('SET', key, value, 'KEEPTTL')
  elseif tonumber(ttl) > 0 then redis.call('SET', key, value, 'PX', ttl)
  else redis.call('SET', key, value) end
end
`;

const add = `${put}
local key, value, ttl = KEYS[1], ARGV[1], ARGV[2]
local found = redis.call('GET', key)
if found then return found == value and 1 or 0 end
put(key, value, ttl)
return 1
`;

const replace = `${put}
local key, expected, value, ttl = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local found = redis.call('GET', key)
if found == expected then
  put(key, value, ttl)
  return 1
end
return found == value and 1 or 0
`;

/** The server's time in epoch milliseconds, so that replicas' clocks don't matter. */
const time = `
local function time()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

const putIn = `${time}
return redis.call('ZADD', KEYS[1], string.format('%.0f', time() + ARGV[2]), ARGV[1])
`;

const due = `${time}
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', time()), 'LIMIT', 0, ARGV[1])
`;

/** A ring is a string of the newest entries, 4 bytes each: update ids, or fingerprints of tokens. */
const ring = `
local function contains(ring, entry)
  local at = 0
  repeat at = string.find(ring, entry, at + 1, true) until not at or at % 4 == 1
  return at ~= nil
end
local function push(ring, entry, size)
  return string.sub(ring .. entry, -4 * size)
end
local function fingerprint(token)
  return struct.pack('>I4', tonumber(string.sub(redis.sha1hex(token), 1, 8), 16))
end
`;

/** Whatever number an update has: Telegram's are positive, and who posts another harms nobody. */
const LEASE = `'^(.*)|(%d+)|([^|]+)|(%d+)$'`;

/**
 * The hash of a chat: `lease` is `token|expiry|update|attempt`, with an empty token once released; `failed` counts the
 * attempts of up to 8 other updates that were begun and never committed, newest first; `handled` and `committed` are
 * rings of the last 64 update ids and the last 16 tokens. A lease that can't be read is set aside, which is answered.
 */
const begin = `${ring}${time}
local chat, token, update, lease_ms = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local found = redis.call('HMGET', chat, 'lease', 'failed', 'handled', 'session', 'conversation')
local lease, failed, handled = found[1], found[2] or '', found[3] or ''
if contains(handled, struct.pack('>I4', update)) then return {'handled'} end

local now = time()
local attempt = 1
local counts = failed
local aside = false
if lease then
  local holder, expiry, begun, count = string.match(lease, ${LEASE})
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
if counts ~= failed then redis.call('HSET', chat, 'failed', counts) end
local expiry = string.format('%.0f', now + lease_ms)
redis.call('HSET', chat, 'lease', token .. '|' .. expiry .. '|' .. update .. '|' .. attempt)
redis.call('PEXPIRE', chat, ${SILENCE_MS})
return {'granted', attempt, found[4], found[5], aside}
`;

/** A change is '' (leave), '-' (remove) or '=' and the value. KEYS[2] is the claim's record, or the chat again. */
const commit = `${ring}
local chat, token, update = KEYS[1], ARGV[1], ARGV[2]
local found = redis.call('HMGET', chat, 'lease', 'handled', 'committed')
local lease, handled, committed = found[1], found[2] or '', found[3] or ''
if not lease or string.match(lease, ${LEASE}) ~= token then
  return contains(committed, fingerprint(token)) and 'committed' or 'lost'
end
if ARGV[5] then
  if redis.call('GET', KEYS[2]) ~= ARGV[5] then return 'conflict' end
  redis.call('SET', KEYS[2], ARGV[6])
end
for field, change in pairs({session = ARGV[3], conversation = ARGV[4]}) do
  if change == '-' then
    redis.call('HDEL', chat, field)
  elseif change ~= '' then
    redis.call('HSET', chat, field, string.sub(change, 2))
  end
end
redis.call('HSET', chat, 'handled', push(handled, struct.pack('>I4', update), 64),
  'committed', push(committed, fingerprint(token), 16))
-- Last: a hash without fields would be gone, with its lifetime.
redis.call('HDEL', chat, 'lease')
return 'committed'
`;

const release = `
local lease = redis.call('HGET', KEYS[1], 'lease')
if not lease then return 0 end
local holder, expiry, update, attempt = string.match(lease, ${LEASE})
if holder ~= ARGV[1] then return 0 end
return redis.call('HSET', KEYS[1], 'lease', '|0|' .. update .. '|' .. attempt - ARGV[2])
`;

/** Each is safe to send again when its answer was lost. The number of keys is fixed, as a Cluster needs it. */
export const scripts: NonNullable<RedisOptions['scripts']> = {
  storageAdd: { lua: add, numberOfKeys: 1 },
  storageReplace: { lua: replace, numberOfKeys: 1 },
  indexPutIn: { lua: putIn, numberOfKeys: 1 },
  indexDue: { lua: due, numberOfKeys: 1 },
  chatBegin: { lua: begin, numberOfKeys: 1 },
  chatCommit: { lua: commit, numberOfKeys: 2 },
  chatRelease: { lua: release, numberOfKeys: 1 },
};
