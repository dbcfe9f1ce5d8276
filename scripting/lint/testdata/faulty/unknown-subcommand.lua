return redis.call('OBJECT', 'SIZE', KEYS[1])  -- want: unknown-command
