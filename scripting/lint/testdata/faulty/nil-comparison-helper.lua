local function decoded(field)
  local text = redis.call('HGET', KEYS[1], field)
  if text then return cjson.decode(text) end
  return nil
end
local function stored(field)
  if field == '' then return nil end
  return redis.call('HGET', KEYS[1], field)
end
local item = decoded(ARGV[1])
if item == false or item == 'none' then return 0 end
if stored(ARGV[2]) == 7 then return 1 end  -- want: mixed-comparison
return item
