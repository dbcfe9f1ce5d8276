-- for: 6.0
return redis.call('ZADD', KEYS[1], 'GT', ARGV[1], ARGV[2])  -- want: newer-option
