-- for: default
if redis.call('ARGET', KEYS[1], 0) == nil then  -- want: nil-comparison
  return redis.call('ARSET', KEYS[1], 0, ARGV[1])
end
return 0
