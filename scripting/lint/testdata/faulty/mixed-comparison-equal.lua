local n = redis.call('INCRBY', KEYS[1], ARGV[1])
if n == ARGV[1] then redis.call('EXPIRE', KEYS[1], 60) end  -- want: mixed-comparison
return n
