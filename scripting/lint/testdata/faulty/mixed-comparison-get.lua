if redis.call('GET', KEYS[1]) == 1 then return 'on' end  -- want: mixed-comparison
return 'off'
