-- A sliding window with a fault: it lets one request more than LIMIT pass.
local key, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
local used = redis.call('ZCARD', key)
if used > limit then
  return 0
end
redis.call('ZADD', key, now, now .. '-' .. used)
redis.call('PEXPIRE', key, window)
return 1
