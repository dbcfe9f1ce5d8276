local lock = '{' .. KEYS[1] .. '}:lock'
if redis.call('EXISTS', lock) == 1 then return 0 end
redis.call('DEL', 'old:{' .. KEYS[1] .. '}' .. ARGV[1])
redis.call('DEL', '{' .. ARGV[1] .. '}:' .. KEYS[1])  -- want: built-key
return redis.call('INCR', '{' .. KEYS[1] .. ':' .. ARGV[1] .. '}')  -- want: built-key
