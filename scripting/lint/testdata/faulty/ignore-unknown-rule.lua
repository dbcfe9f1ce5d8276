-- want 2: ignore
return redis.call('GET', KEYS[1])  -- lint: ignore no-such-rule we know better
