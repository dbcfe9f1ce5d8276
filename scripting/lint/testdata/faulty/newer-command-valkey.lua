-- for: 8.4
return redis.call('DELIFEQ', KEYS[1], ARGV[1])  -- want: newer-command
