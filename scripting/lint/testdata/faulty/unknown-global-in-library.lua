#!lua name=mylib
local function get(keys, args)
  return redis.call('GET', KEYS[1])  -- want: unknown-global
end
redis.register_function('get', get)
