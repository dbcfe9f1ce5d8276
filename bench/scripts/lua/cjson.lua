local value = cjson.decode(redis.call('GET', KEYS[1]))
return #cjson.encode(value)
