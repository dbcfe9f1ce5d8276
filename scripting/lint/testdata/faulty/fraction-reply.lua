local sum, n = redis.call('GET', KEYS[1]) or 0, redis.call('LLEN', KEYS[2])
return sum / (n + 1)  -- want: fraction-reply
