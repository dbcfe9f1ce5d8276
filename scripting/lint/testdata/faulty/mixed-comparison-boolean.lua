if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == true then return 1 end  -- want: mixed-comparison
return 0
