redis.call('INCR', 'hits:total')  -- want: constant-key
redis.call('INCR', 'hits:today')  -- want: constant-key cross-slot
return 1
