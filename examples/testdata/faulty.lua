local count = redis.call('GET', 'visits:' .. ARGV[1])
if count == nil then
  count = 0
end
return count / 2
