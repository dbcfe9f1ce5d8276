redis.call('DEL', KEYS[1])
return redis.call('GET', KEYS[3])  -- want: unused-key
