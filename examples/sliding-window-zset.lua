-- Sliding window, exact: at most LIMIT requests within any WINDOW milliseconds.
--
--   redis-cli --eval examples/sliding-window-zset.lua visits:alice , 3 60000
--   miniserver eval examples/sliding-window-zset.lua visits:alice , 3 60000
--
-- KEYS[1]  a sorted set, one member for each request that was allowed, its score the time
-- ARGV     LIMIT, WINDOW, and NOW in milliseconds, or the server's clock
-- reply    {1, requests left, 0}  or  {0, 0, milliseconds until there is room}
--
-- It stores LIMIT requests, so its memory grows with LIMIT; that of sliding-window-hash.lua does not.
local key = KEYS[1]
local limit, window, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not (limit and window and limit >= 1 and window >= 1) then
  return redis.error_reply('ERR usage: LIMIT WINDOW [NOW], both at least 1')
end
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- A request that is exactly one window old is outside.
redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)

local used = redis.call('ZCARD', key)
if used >= limit then
  -- There is room once no more than limit - 1 are left. That is when the oldest goes, unless
  -- LIMIT was lowered meanwhile.
  local last = redis.call('ZRANGE', key, used - limit, used - limit, 'WITHSCORES')
  return {0, 0, last[2] + window - now}
end

-- Members must differ, or two requests in one millisecond would count as one. Requests of one
-- millisecond enter and leave the window together, so a running number distinguishes them. The
-- format matters: tostring keeps only 14 digits of a number.
local twins = redis.call('ZCOUNT', key, now, now)
redis.call('ZADD', key, now, string.format('%.0f-%d', now, twins))

-- When a window has passed, none of these requests counts, and the key may expire.
redis.call('PEXPIRE', key, window)
return {1, limit - used - 1, 0}
