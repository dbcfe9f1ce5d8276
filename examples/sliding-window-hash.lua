-- Sliding window, by slots: at most LIMIT requests within any WINDOW milliseconds, stored as
-- a count for each of SLOTS parts of the window.
--
--   redis-cli --eval examples/sliding-window-hash.lua calls:alice , 1000 60000 60
--   miniserver eval examples/sliding-window-hash.lua calls:alice , 1000 60000 60
--
-- KEYS[1]  a hash: the start of a slot -> the number of requests allowed in it
-- ARGV     LIMIT, WINDOW, SLOTS, and NOW in milliseconds, or the server's clock
-- reply    {1, requests left, 0}  or  {0, 0, milliseconds until there is room}
--
-- It stores at most SLOTS + 1 numbers whatever LIMIT is. In return a request counts until its
-- whole slot has left the window, up to WINDOW / SLOTS too long but never too short: the limit
-- holds. With as many slots as milliseconds it replies like sliding-window-zset.lua.
local key = KEYS[1]
local limit, window, slots, now =
  tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if not (limit and window and slots and limit >= 1 and window >= 1 and slots >= 1) then
  return redis.error_reply('ERR usage: LIMIT WINDOW SLOTS [NOW], all at least 1')
end
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local width = math.ceil(window / slots)

-- A slot counts for a window from its last millisecond on. Fields are times, not numbers of
-- slots, so they keep their meaning when WINDOW or SLOTS is changed.
local function leaves(start) return start + width - 1 + window end

-- lint: ignore-file unbounded-read,command-per-element the hash has at most SLOTS + 1 fields
local used, starts, counts = 0, {}, {}
local fields = redis.call('HGETALL', key)
for i = 1, #fields, 2 do
  local start, count = tonumber(fields[i]), tonumber(fields[i + 1])
  if leaves(start) <= now then
    redis.call('HDEL', key, fields[i])
  else
    used = used + count
    starts[#starts + 1] = start
    counts[start] = count
  end
end

if used >= limit then
  -- There is room once enough of the oldest slots have left.
  table.sort(starts)
  local i, left = 0, used
  while left >= limit do
    i = i + 1
    left = left - counts[starts[i]]
  end
  return {0, 0, leaves(starts[i]) - now}
end

local start = now - now % width
redis.call('HINCRBY', key, start, 1)
redis.call('PEXPIRE', key, leaves(start) - now)
return {1, limit - used - 1, 0}
