local ttl = tonumber(ARGV[1]) / 1000
redis.call('EXPIRE', KEYS[1], ttl)  -- want: fraction-argument
return 1
