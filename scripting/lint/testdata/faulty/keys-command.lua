return #redis.call('KEYS', 'session:*')  -- want: keys-command
