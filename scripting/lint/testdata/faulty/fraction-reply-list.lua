local interval = tonumber(ARGV[1]) / ARGV[2]
local at, left = interval * 2, 10 - interval
if left < 0 then return {0, at, left} end
if ARGV[3] == 'half' then return {1, left * 0.5} end  -- want: fraction-reply
if ARGV[3] == 'left' then return left end  -- want: fraction-reply
return {1, interval, {at + 1.5}}  -- want: fraction-reply
