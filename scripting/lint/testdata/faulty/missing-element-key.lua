assert(1 == #KEYS and #ARGV <= 1)
local function move(from, to) return redis.call('RENAME', from, to) end
if ARGV[1] then return move(KEYS[1], KEYS[2]) end  -- want: missing-element
return 0
