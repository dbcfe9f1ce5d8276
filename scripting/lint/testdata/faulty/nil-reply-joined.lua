local name = redis.call('GET', KEYS[1])
return 'hello ' .. name  -- want: nil-reply
