redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[1] - ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end  -- want: missing-expire
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[1]) -- want: time-member
return 1
