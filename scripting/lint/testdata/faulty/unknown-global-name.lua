local limit = tonumber(ARGV[1])
if redis.call('LLEN', KEYS[1]) > limt then return 0 end  -- want: unknown-global
return limit
