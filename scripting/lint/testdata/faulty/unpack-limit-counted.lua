local function move(list) return redis.call('SADD', KEYS[2], unpack(list)) end
local due = redis.call('ZRANGEBYSCORE', KEYS[1], 0, ARGV[1])  -- want: unbounded-read
if #due == 0 then return 0 end
if #due <= 1000 then return move(due) end
if #due < 9000 then return redis.call('SADD', KEYS[2], unpack(due)) end  -- want: unpack-limit
return #due
