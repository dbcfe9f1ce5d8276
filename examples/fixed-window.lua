-- Fixed window: at most LIMIT requests in a window of WINDOW milliseconds, which opens with the
-- first request.
--
--   redis-cli --eval examples/fixed-window.lua logins:alice , 5 60000
--   miniserver eval examples/fixed-window.lua logins:alice , 5 60000
--
-- KEYS[1]  the number of requests in the open window; its time to live is the rest of the window
-- ARGV     LIMIT, WINDOW
-- reply    {1, requests left, 0}  or  {0, 0, milliseconds until there is room}
--
-- The smallest limiter: one number, and no clock but the key's own deadline. Its weakness: LIMIT
-- requests at the end of one window and LIMIT at the start of the next can pass, twice LIMIT in
-- a moment. If that matters, take a sliding window.
local key = KEYS[1]
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
if not (limit and window and limit >= 1 and window >= 1) then
  return redis.error_reply('ERR usage: LIMIT WINDOW, both at least 1')
end

local used, left = redis.call('GET', key), redis.call('PTTL', key)
if not used or left < 0 then
  -- No window is open, or the key has lost its deadline and would never end. SET writes the count
  -- and its deadline in one step.
  redis.call('SET', key, 1, 'PX', window)
  return {1, limit - 1, 0}
end
if tonumber(used) >= limit then
  return {0, 0, math.max(left, 1)}
end
return {1, limit - redis.call('INCR', key), 0}
