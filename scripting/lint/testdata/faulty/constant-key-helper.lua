local function count(key)
  return redis.call('INCR', key)  -- want: constant-key
end
count(KEYS[1])
return count('total')
