-- for: default
redis.call('ARSET', KEYS[1], 0)  -- want: wrong-arguments
return redis.call('ARGETRANGE', KEYS[1], 0, 9)
