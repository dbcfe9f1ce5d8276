local text, n = redis.call('GET', KEYS[1]), 0
for i = 1, ARGV[1] do
  n = n + #cmsgpack.pack(cmsgpack.unpack(text))
end
return n
