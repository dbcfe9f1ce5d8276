if redis.call('GET', KEYS[1]) or '0' then
  if ARGV[1] >= 10 then return 1 end  -- want: mixed-comparison
end
return 0
