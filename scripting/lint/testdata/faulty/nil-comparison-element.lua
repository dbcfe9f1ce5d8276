local values = redis.call('MGET', KEYS[1], KEYS[2])
if values[1] == nil then return 0 end  -- want: nil-comparison
return 1
