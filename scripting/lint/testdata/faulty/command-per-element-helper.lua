local function drop(field) return redis.call('HDEL', KEYS[1], field) end  -- want: command-per-element
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do  -- want: unbounded-read
  drop(field)
end
return 1
