#!lua name=counters
local function peek(keys, args)
  return redis.call('INCRBY', keys[1], args[1])  -- want: write-in-read-only
end
redis.register_function{function_name = 'peek', callback = peek, flags = {'no-writes'}}
