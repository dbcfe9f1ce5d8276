local members = {ARGV[1], ARGV[2]}
return redis.call('SADD', KEYS[1], members)  -- want: bad-argument
