#!lua flags=no-writes
local v = redis.call('GET', KEYS[1])
redis.call('EXPIRE', KEYS[1], 60)  -- want: write-in-read-only
return v
