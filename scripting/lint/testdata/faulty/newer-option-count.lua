-- for: 6.0
return redis.call('LPOP', KEYS[1], 10)  -- want: newer-option
