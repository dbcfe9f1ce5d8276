local call = redis.call
local function at(n) return call('GET', KEYS[1] .. n) end  -- want: built-key
return {at(1), at(2)}
