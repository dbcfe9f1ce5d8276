return redis.call('HMSETNX', KEYS[1], 'a', 1)  -- want: unknown-command
