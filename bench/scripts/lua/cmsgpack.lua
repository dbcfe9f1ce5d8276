local value = cmsgpack.unpack(redis.call('GET', KEYS[1]))
return #cmsgpack.pack(value)
