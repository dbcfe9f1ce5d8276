return redis.call('SET', KEYS[2], cmsgpack.pack(cjson.decode(redis.call('GET', KEYS[1]))))
