-- for: 4.0
local now = redis.call('TIME')[1]
return redis.call('ZADD', KEYS[1], now, ARGV[1])  -- want: write-after-random
