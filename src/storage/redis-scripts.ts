import type { RedisOptions, Result } from 'ioredis';
import { chatScripts } from './redis-chat-scripts.ts';
import { continuityScripts } from './redis-continuity.ts';
import { info, put, time } from './redis-lua.ts';

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

const moveIn = `${time}
local added = redis.call('ZADD', KEYS[1], string.format('%.0f', time() + ARGV[2]), ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return 1 - added
`;

const putIn = `${time}
local added = redis.call('ZADD', KEYS[1], string.format('%.0f', time() + ARGV[2]), ARGV[1])
if tonumber(ARGV[3]) > 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return added
`;

const putWithin = `${time}
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

/** Each is safe to send again when its answer was lost. The number of keys is fixed, as a Cluster needs it. */
export const scripts: NonNullable<RedisOptions['scripts']> = {
  ...chatScripts,
  ...continuityScripts,
  storageAdd: { lua: add, numberOfKeys: 1 },
  storageReplace: { lua: replace, numberOfKeys: 1 },
  storageReplaceAndAdd: { lua: replaceAndAdd, numberOfKeys: 2 },
  storageDelete: { lua: remove, numberOfKeys: 1 },
  indexPut: { lua: putScore, numberOfKeys: 1 },
  indexMoveIn: { lua: moveIn, numberOfKeys: 3 },
  indexPutIn: { lua: putIn, numberOfKeys: 1 },
  indexPutWithin: { lua: putWithin, numberOfKeys: 1 },
  indexBefore: { lua: before, numberOfKeys: 1 },
  indexDue: { lua: due, numberOfKeys: 1 },
  indexOverdue: { lua: overdue, numberOfKeys: 1 },
  storageReplicas: { lua: replicas, numberOfKeys: 0 },
  storageStands: { lua: stands, numberOfKeys: 1 },
  storageDurability: { lua: durability, numberOfKeys: 0 },
};
