local current = redis.call('GET', KEYS[1])
if not current then return false end
return redis.call('HGETALL', current)  -- want: data-key unbounded-read
