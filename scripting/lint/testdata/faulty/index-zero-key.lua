return redis.call('GET', KEYS[0])  -- want: bad-argument index-from-one
