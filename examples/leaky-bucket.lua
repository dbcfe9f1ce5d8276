-- Leaky bucket, as a queue: requests leave at a steady pace, one each INTERVAL milliseconds, and
-- CAPACITY of them may be in the bucket; a further one spills.
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
-- A caller that does not care to wait and goes on at once has the other thing called leaky bucket,
-- the meter, which is token-bucket.lua seen from the other side.
local key = KEYS[1]
local capacity, interval, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not (capacity and interval and capacity >= 1 and interval >= 1) then
  return redis.error_reply('ERR usage: CAPACITY INTERVAL [NOW], both at least 1')
end
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- No key is an empty bucket.
local free = math.max(now, tonumber(redis.call('GET', key) or now))
local delay = free - now

-- Behind capacity - 1 others there is a place; behind more there is none.
local spill = delay - (capacity - 1) * interval
if spill > 0 then
  return {0, 0, spill}
end

-- When the next request may leave at once, the key says nothing any more and goes.
redis.call('SET', key, free + interval, 'PX', delay + interval)
return {1, math.floor(-spill / interval), delay}
