local id = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1])
redis.call('ZADD', KEYS[2], id, ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[1])
if id > 1000 then redis.call('ZREMRANGEBYSCORE', KEYS[2], 0, id - 1000) end
local calls = redis.call('INCR', KEYS[3])
redis.call('EXPIRE', KEYS[3], ARGV[1])  -- want: extended-window
if calls > 1000 then return redis.error_reply('ERR too many calls') end
return id
