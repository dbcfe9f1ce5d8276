-- for: 8.6
return redis.call('ARSET', KEYS[1], 0, ARGV[1])  -- want: newer-command
