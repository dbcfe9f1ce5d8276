redis.call('TS.ADD', KEYS[1], ARGV[1])  -- want: wrong-arguments
return redis.call('TS.RANGE', KEYS[1], '-', '+', 'COUNT', 10)
