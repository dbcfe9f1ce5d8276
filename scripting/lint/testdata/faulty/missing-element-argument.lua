if #ARGV ~= 2 then return redis.error_reply('ERR limit and window') end
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = tonumber(ARGV[3])  -- want: missing-element
return {limit, window, now}
