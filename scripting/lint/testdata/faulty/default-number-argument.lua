local used = redis.call('HGET', KEYS[1], 'used') or 0
if used >= ARGV[1] then return 0 end  -- want: default-number
local limit = ARGV[2] or 10
if redis.call('HINCRBY', KEYS[1], 'used', 1) > limit then return 1 end  -- want: default-number
return 2
