local version = redis.call('HGET', KEYS[1], 'version')
if version and version >= ARGV[1] then return 0 end  -- want: text-order
return redis.call('HSET', KEYS[1], 'version', ARGV[1])
