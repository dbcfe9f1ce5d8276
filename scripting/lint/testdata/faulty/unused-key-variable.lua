local source, target = KEYS[1], KEYS[2]  -- want: unused-key
return redis.call('GET', source)
