function refill(key)  -- want: global-assignment
  return redis.call('SET', key, 10)
end
return refill(KEYS[1])
