if not redis.call('SISMEMBER', KEYS[1], ARGV[1]) then return 0 end  -- want: always-true
return 1
