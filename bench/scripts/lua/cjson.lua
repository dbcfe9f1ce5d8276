local text, n = redis.call('GET', KEYS[1]), 0
for i = 1, ARGV[1] do
  n = n + #cjson.encode(cjson.decode(text))
end
return n
