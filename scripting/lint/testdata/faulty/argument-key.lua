local from, to = KEYS[1], ARGV[1]
return redis.call('RENAME', from, to)  -- want: argument-key
