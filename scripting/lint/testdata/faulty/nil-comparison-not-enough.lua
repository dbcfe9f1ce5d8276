local count = redis.call('GET', KEYS[1])
if count == nil then count = 0 end  -- want: nil-comparison
return count + ARGV[1]  -- want: nil-reply
