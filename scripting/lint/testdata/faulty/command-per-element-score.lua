local from, to = ARGV[1], ARGV[2]
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], from, from)) do
  redis.call('HDEL', KEYS[2], id)
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], from, to)) do  -- want: unbounded-read
  redis.call('HDEL', KEYS[2], id)  -- want: command-per-element
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], 0, 0)) do  -- want: unbounded-read
  redis.call('HDEL', KEYS[2], id)  -- want: command-per-element
end
return 1
