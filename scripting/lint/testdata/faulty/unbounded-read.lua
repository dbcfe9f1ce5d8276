local all = redis.call('LRANGE', KEYS[1], 0, -1)  -- want: unbounded-read
return #all
