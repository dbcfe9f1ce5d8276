return redis.call('SCAN', ARGV[1], 'MATCH', 'session:*')  -- want: keys-command
