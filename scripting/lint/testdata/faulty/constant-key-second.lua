return redis.call('RPOPLPUSH', KEYS[1], 'done')  -- want: constant-key
