local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])  -- want: unused-argument
local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('PEXPIRE', KEYS[1], window) end
return n
