local a, b = redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2])
if not a or not b then return 0 end
if string.lower(a) < string.lower(b) then return 1 end
if a < b then return 2 end  -- want: text-order
return 3
