local last = tonumber(redis.call('GET', KEYS[1]))
if last < tonumber(ARGV[1]) then  -- want: nil-reply
  redis.call('SET', KEYS[1], ARGV[1])
end
return 1
