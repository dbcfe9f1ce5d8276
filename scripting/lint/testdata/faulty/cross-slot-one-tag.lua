redis.call('SADD', '{users}:' .. ARGV[1], ARGV[2])  -- want: built-key
return redis.call('SADD', '{users}:all', ARGV[1])  -- want: constant-key
