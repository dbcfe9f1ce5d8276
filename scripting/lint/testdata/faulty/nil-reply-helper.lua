local function score(member)
  return tonumber(redis.call('ZSCORE', KEYS[1], member))
end
return score(ARGV[1]) > score(ARGV[2])  -- want: nil-reply nil-reply
