return redis.call('DEL', table.unpack(KEYS))  -- want: unknown-global
