-- for: 7.2
return redis.call('HEXPIRE', KEYS[1], 60, 'FIELDS', 1, ARGV[1])  -- want: newer-command
