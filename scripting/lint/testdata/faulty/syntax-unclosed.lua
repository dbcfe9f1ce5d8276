local n = redis.call('INCR', KEYS[1])  -- want 5: syntax
if n == 1 then
  redis.call('EXPIRE', KEYS[1], 60)
return n
