local ttl
return redis.call('EXPIRE', KEYS[1], ttl)  -- want: bad-argument
