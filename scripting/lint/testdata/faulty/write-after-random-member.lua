-- for: 3.2
local member = redis.call('SRANDMEMBER', KEYS[1])
if member then redis.call('SREM', KEYS[1], member) end  -- want: write-after-random
return member
