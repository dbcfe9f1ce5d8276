-- Leaky bucket, as a queue: requests leave at a steady pace, one each INTERVAL milliseconds, and
-- CAPACITY of them may be in the bucket; further ones are refused.
--
--   redis-cli --eval examples/leaky-bucket.lua mail:alice , 5 2000
--   miniserver eval examples/leaky-bucket.lua mail:alice , 5 2000
--
-- KEYS[1]  the time at which the next request may leave
-- ARGV     CAPACITY, INTERVAL, and NOW in milliseconds, or the server's clock
-- reply    {1, places left, milliseconds to wait before going on}
--          {0, 0, milliseconds until there is a place}
--
-- Unlike a token bucket it lets no burst through: the caller goes on after the time in the reply.
-- If the caller goes on at once instead, this is the other algorithm called leaky bucket, the
-- meter, which is equivalent to token-bucket.lua.
local key = KEYS[1]
local capacity, interval, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not (capacity and interval and capacity >= 1 and interval >= 1) then
  return redis.error_reply('ERR usage: CAPACITY INTERVAL [NOW], both at least 1')
end
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- An absent key is an empty bucket.
local free = math.max(now, tonumber(redis.call('GET', key) or now))
local delay = free - now

-- With at most capacity - 1 requests before it there is a place for this one.
local spill = delay - (capacity - 1) * interval
if spill > 0 then
  return {0, 0, spill}
end

-- The key expires when the next request may leave at once: it is not needed from then on.
redis.call('SET', key, free + interval, 'PX', delay + interval)
return {1, math.floor(-spill / interval), delay}
