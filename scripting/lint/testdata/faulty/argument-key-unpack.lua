return redis.call('DEL', unpack(ARGV))  -- want: argument-key
