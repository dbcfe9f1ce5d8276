local n = redis.call('INCR', KEYS[1])
return {count = n, first = n == 1}  -- want: lost-fields
