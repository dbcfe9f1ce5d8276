return redis.call('EXPIRE', KEYS[1])  -- want: wrong-arguments
