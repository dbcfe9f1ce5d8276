local due = redis.call('ZRANGEBYSCORE', KEYS[1], 0, ARGV[1])  -- want: unbounded-read
for i = 1, #due do
  redis.call('RPUSH', KEYS[2], due[i])  -- want: command-per-element
  redis.call('ZREM', KEYS[1], due[i])
end
return #due
