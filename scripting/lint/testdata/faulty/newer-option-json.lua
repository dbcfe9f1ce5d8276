-- for: 8.6
redis.call('JSON.SET', KEYS[1], '$', ARGV[1], 'FPHA', 'FP16')  -- want: newer-option
return redis.call('JSON.GET', KEYS[1])
