local owner = redis.call('GET', KEYS[1])
if owner == nil then  -- want: nil-comparison
  redis.call('SET', KEYS[1], ARGV[1])
end
return 1
