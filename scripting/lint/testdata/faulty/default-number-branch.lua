local used = redis.call('GET', KEYS[1])
if not used then used = 0 end
return 5 > used and 1 or 0  -- want: default-number
