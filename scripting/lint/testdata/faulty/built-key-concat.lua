local key = table.concat({KEYS[1], ARGV[1]}, ':')
return redis.call('EXISTS', key)  -- want: built-key
