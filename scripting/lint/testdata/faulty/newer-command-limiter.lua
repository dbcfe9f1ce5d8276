-- for: 8.4
return redis.call('INCREX', KEYS[1], 'BYINT', 1, 'EX', ARGV[1])  -- want: newer-command
