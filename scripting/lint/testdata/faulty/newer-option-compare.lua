-- for: 8.2
return redis.call('SET', KEYS[1], ARGV[1], 'IFEQ', ARGV[2])  -- want: newer-option
