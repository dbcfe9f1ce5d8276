redis.call('SADD', 'users:' .. ARGV[1], ARGV[2])  -- want: built-key
return redis.call('SADD', 'groups:' .. ARGV[2], ARGV[1])  -- want: built-key cross-slot
