local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'time')
local left = bucket[1] + (ARGV[1] - bucket[2])  -- want: nil-reply nil-reply
return left
