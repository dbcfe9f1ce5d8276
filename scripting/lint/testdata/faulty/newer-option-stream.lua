-- for: 8.8
return redis.call('XREAD', 'MAXCOUNT', 100, 'STREAMS', KEYS[1], 0)  -- want: newer-option
