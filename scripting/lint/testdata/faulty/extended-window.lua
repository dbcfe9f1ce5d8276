local function limited(key)
  local n = redis.call('INCR', key)
  if n == 1 then redis.call('EXPIRE', key, ARGV[1]) end
  return n > tonumber(ARGV[2])
end
if limited(KEYS[1]) then return 0 end
local n = redis.call('INCR', KEYS[2])
redis.call('PEXPIRE', KEYS[2], ARGV[1]) -- want: extended-window
redis.call('EXPIRE', KEYS[2], ARGV[1], 'NX')
if n > tonumber(ARGV[2]) then return 0 end
local m = redis.call('INCR', KEYS[3])
if m > tonumber(ARGV[2]) then return 0 end
redis.call('EXPIRE', KEYS[3], ARGV[1])
local seen = redis.call('INCR', KEYS[4])
redis.call('EXPIRE', KEYS[4], ARGV[1])
local first = redis.call('INCR', KEYS[5]) == 1 and redis.call('EXPIRE', KEYS[5], ARGV[1])
for i = 6, 7 do
  local k = redis.call('INCR', KEYS[i])
  redis.call('EXPIRE', KEYS[i], ARGV[1]) -- want: extended-window
  if k > 5 then return 0 end
end
return seen
