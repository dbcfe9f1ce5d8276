redis.call('HSET', KEYS[1], 'active', true)  -- want: bad-argument
return 1
