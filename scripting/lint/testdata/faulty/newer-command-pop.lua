-- for: 6.2
return redis.call('LMPOP', 1, KEYS[1], 'LEFT')  -- want: newer-command
