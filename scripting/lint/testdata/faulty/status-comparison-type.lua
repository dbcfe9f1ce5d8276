if redis.call('TYPE', KEYS[1]) ~= 'zset' then return 0 end  -- want: status-comparison
return redis.call('ZCARD', KEYS[1])
