local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
redis.call('ZADD', KEYS[1], now, now .. ':' .. ARGV[1])  -- want: lost-digits
return 1
