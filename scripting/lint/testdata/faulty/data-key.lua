for _, member in ipairs(redis.call('SRANDMEMBER', KEYS[1], 10)) do
  redis.call('DEL', member)  -- want: data-key
end
return 1
