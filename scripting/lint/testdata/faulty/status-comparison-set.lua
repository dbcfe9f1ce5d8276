local ok = redis.call('SET', KEYS[1], ARGV[1], 'NX')
if ok == 'OK' then return 1 end  -- want: status-comparison
return 0
