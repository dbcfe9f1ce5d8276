redis.call('JSON.SET', KEYS[1], ARGV[1])  -- want: wrong-arguments
return redis.call('JSON.NUMINCRBY', KEYS[1], '$.left', -1)
