local function bucket(prefix, slot)
  return prefix .. ':' .. slot
end
local slot = math.floor(ARGV[1] / 60)
redis.call('INCR', bucket(KEYS[1], slot))  -- want: built-key
return slot
