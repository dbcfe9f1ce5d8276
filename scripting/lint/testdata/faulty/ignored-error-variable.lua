local reply = redis.pcall('INCR', KEYS[1])  -- want: ignored-error
return 1
