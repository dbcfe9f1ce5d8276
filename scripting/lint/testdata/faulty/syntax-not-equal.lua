local owner = redis.call('GET', KEYS[1])
if owner != ARGV[1] then return 0 end  -- want: syntax
return redis.call('DEL', KEYS[1])
