/** Lua function that writes a value with its TTL: in milliseconds, 0 for none, or `kept`. */
export const put = `
local function put(key, value, ttl)
  if ttl == 'kept' then redis.call('SET', key, value, 'KEEPTTL')
  elseif tonumber(ttl) > 0 then redis.call('SET', key, value, 'PX', ttl)
  else redis.call('SET', key, value) end
end
`;

/** Lua function that returns the server's time in epoch milliseconds, so that replicas' clocks don't matter. */
export const time = `
local function time()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/**
 * Lua function that reads a line of INFO. Returning a whole section costs a hundred times as much, and ioredis doesn't
 * pipeline INFO.
 */
export const info = `
local function info(section, name)
  return string.match(redis.call('INFO', section), name .. ':([^\\r\\n]*)') or ''
end
`;
