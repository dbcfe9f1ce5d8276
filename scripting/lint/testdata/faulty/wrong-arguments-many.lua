return redis.call('GET', KEYS[1], KEYS[2])  -- want: wrong-arguments
