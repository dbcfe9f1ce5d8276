-- for: 5.0
return redis.call('SET', KEYS[1], ARGV[1], 'KEEPTTL')  -- want: newer-option
