local text = redis.call('JSON.GET', KEYS[1], '$.left')
if text == nil then return 0 end  -- want: nil-comparison
return redis.call('JSON.SET', KEYS[1], '$.left', ARGV[1])
