local tokens = redis.call('HGET', KEYS[1], 'tokens')
return tokens - 1  -- want: nil-reply
