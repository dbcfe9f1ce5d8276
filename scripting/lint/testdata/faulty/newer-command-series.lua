-- for: 7.4
redis.call('TS.ADD', KEYS[1], '*', ARGV[1])  -- want: newer-command
return redis.call('TS.GET', KEYS[1])  -- want: newer-command
