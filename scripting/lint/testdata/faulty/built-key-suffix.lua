local key = KEYS[1] .. ':' .. ARGV[1]
return redis.call('INCR', key)  -- want: built-key
