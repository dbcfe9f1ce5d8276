redis.call('EXPIRE', KEYS[1], 'soon') -- want: bad-argument
redis.call('SET', KEYS[1], 'soon', 'EX', 'ten') -- want: bad-argument
redis.call('ZRANGE', KEYS[1], '-1', '0')
redis.call('ZRANGE', KEYS[1], '(1', '5', 'BYSCORE', 'LIMIT', '0', '10')
redis.call('XADD', KEYS[2], 'MAXLEN', '~', '1000', '*', 'f', 'v')
return redis.call('SETRANGE', KEYS[1], ARGV[1], 'x')
