local half = #ARGV / 2
redis.call('HINCRBY', KEYS[1], 'pairs', half)
redis.call('HINCRBY', KEYS[1], 'pairs', (#ARGV - 1) / 2)
redis.call('HINCRBY', KEYS[1], 'triples', table.getn(cjson.decode(ARGV[1])) / 3)
redis.call('HINCRBY', KEYS[1], 'parts', #ARGV / redis.call('LLEN', KEYS[2]))  -- want: fraction-argument
return redis.call('HINCRBY', KEYS[1], 'halves', (#ARGV + 0.5) / 2)  -- want: fraction-argument
