if redis.call('SET', KEYS[1], 1, 'NX') ~= nil then return 1 end  -- want: nil-comparison
return 0
