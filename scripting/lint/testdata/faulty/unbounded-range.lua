return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])  -- want: unbounded-read
