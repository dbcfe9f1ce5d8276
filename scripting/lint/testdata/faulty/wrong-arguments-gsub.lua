return redis.call('GETSET', KEYS[1], string.gsub(ARGV[1], ' ', ''))  -- want: wrong-arguments
