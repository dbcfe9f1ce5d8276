redis.call('JSON.APPEND', KEYS[1], '$', ARGV[1])  -- want: unknown-command
redis.call('TS.PUT', KEYS[1], '*', ARGV[1])  -- want: unknown-command
return redis.call('FT.SEARCH', ARGV[1], ARGV[2])
