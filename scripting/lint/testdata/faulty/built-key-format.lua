local key = string.format('user:%s:visits', ARGV[1])
return redis.call('INCR', key)  -- want: built-key
