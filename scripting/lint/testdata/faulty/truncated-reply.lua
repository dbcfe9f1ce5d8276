local found = tonumber(redis.call('GET', KEYS[1]))
return {ARGV[1], found, 1}  -- want: truncated-reply
