-- for: valkey:9.0
redis.call('TOPK.ADD', KEYS[1], ARGV[1])  -- want: newer-command
redis.call('TDIGEST.ADD', KEYS[1], ARGV[1])  -- want: newer-command
redis.call('CMS.INCRBY', KEYS[1], ARGV[1], 1)  -- want: newer-command
return redis.call('CF.ADD', KEYS[1], ARGV[1])  -- want: newer-command
