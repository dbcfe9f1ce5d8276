-- want 2: ignore
-- lint: ignore constant-key
return redis.call('GET', 'config')  -- want: constant-key
