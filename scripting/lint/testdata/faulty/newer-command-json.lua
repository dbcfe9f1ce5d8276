-- for: 7.4
return redis.call('JSON.GET', KEYS[1])  -- want: newer-command
