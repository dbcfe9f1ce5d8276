local last = redis.call('GET', KEYS[1]) or '0'
if ARGV[1] > last then redis.call('SET', KEYS[1], ARGV[1]) end  -- want: text-order
if ARGV[1] < ARGV[2] then return 1 end  -- want: text-order
return 0
