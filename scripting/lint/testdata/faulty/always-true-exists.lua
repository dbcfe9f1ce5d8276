if redis.call('EXISTS', KEYS[1]) then  -- want: always-true
  return redis.call('GET', KEYS[1])
end
return 'absent'
