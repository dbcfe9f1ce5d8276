-- for: 6.0
return redis.call('COPY', KEYS[1], KEYS[2])  -- want: newer-command
