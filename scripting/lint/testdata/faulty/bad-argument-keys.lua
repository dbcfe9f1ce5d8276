return redis.call('DEL', KEYS)  -- want: bad-argument
