local args = {#KEYS, unpack(KEYS)}
local first = tonumber(redis.call('ZUNION', unpack(args))[1])  -- want: unbounded-read
if first > 9 then return first end  -- want: nil-reply
table.insert(args, 'WITHSCORES')
local list, high = redis.call('ZUNION', unpack(args)), {}  -- want: unbounded-read
for i = 1, #list, 2 do
  if tonumber(list[i + 1]) > 9 then table.insert(high, list[i]) end
end
return high
