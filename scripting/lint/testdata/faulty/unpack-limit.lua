local members = redis.call('SMEMBERS', KEYS[1])  -- want: unbounded-read
if #members == 0 then return 0 end
return redis.call('SADD', KEYS[2], unpack(members))  -- want: unpack-limit
