local count = redis.call('GET', KEYS[1]) or 0
if count >= tonumber(ARGV[1]) then return 0 end  -- want: default-number
return redis.call('INCR', KEYS[1])
