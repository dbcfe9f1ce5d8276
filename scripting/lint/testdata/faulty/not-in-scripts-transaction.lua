redis.call('MULTI')  -- want: not-in-scripts
redis.call('INCR', KEYS[1])
return redis.call('EXEC')  -- want: not-in-scripts
