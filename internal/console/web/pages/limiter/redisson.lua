-- The limiter of Redisson, RRateLimiter: the same keys, records and decisions, so both can share a limiter.
--
-- KEYS[1]  a hash: rate, interval in milliseconds, and type (0: one limit for all clients)
-- KEYS[2]  the permits that are free
-- KEYS[3]  a sorted set of the permits that are taken, their score the time; a record holds a salt and their number
-- ARGV     PERMITS, NOW in milliseconds, and a SALT that no other record has
-- reply    nil for yes, or the milliseconds until it is worth asking again
--
-- NOW is the caller's clock, as in Redisson: the server's moves only what expires.
local permits, now, salt = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local rate, interval = tonumber(redis.call('HGET', KEYS[1], 'rate')), tonumber(redis.call('HGET', KEYS[1], 'interval'))
if not (rate and interval) then
  return redis.error_reply('ERR the limiter has no rate')
end
if permits > rate then
  return redis.error_reply('ERR more permits than the rate allows')
end

local function take()
  redis.call('ZADD', KEYS[3], now, struct.pack('Bc0I', #salt, salt, permits))
  redis.call('DECRBY', KEYS[2], permits)
end

local free = tonumber(redis.call('GET', KEYS[2]))
if not free then
  redis.call('SET', KEYS[2], rate)
  take()
  return nil
end

-- What was taken an interval ago comes back. If more comes back than fits, the rate was lowered meanwhile.
local released = 0
-- lint: ignore unbounded-read the set has at most as many records as the rate
for _, record in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], 0, now - interval)) do
  local _, count = struct.unpack('Bc0I', record)
  released = released + count
end
if released > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[3], 0, now - interval)
  free = free + released
  if free > rate then
    -- lint: ignore missing-expire Redisson's limiters stay
    free = rate - redis.call('ZCARD', KEYS[3])
  end
  redis.call('SET', KEYS[2], free)
end

if free < permits then
  local oldest = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
  return 3 + interval - (now - tonumber(oldest[2]))
end
take()
return nil
