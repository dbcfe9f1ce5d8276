if redis.call('CF.EXISTS', KEYS[1], ARGV[1]) then  -- want: always-true
  return 1
end
return redis.call('BF.EXISTS', KEYS[1], ARGV[1])
