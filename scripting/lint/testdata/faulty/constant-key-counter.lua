local id = redis.call('INCR', 'next-order')  -- want: constant-key
redis.call('HSET', KEYS[1], 'id', id)
return id
