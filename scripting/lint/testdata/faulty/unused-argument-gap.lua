local ttl = tonumber(ARGV[2])  -- want: unused-argument
return redis.call('PEXPIRE', KEYS[1], ttl)
