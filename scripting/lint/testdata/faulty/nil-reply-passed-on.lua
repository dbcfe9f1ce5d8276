local id = redis.call('LPOP', KEYS[1])
redis.call('SADD', KEYS[2], id)  -- want: nil-reply
return id
