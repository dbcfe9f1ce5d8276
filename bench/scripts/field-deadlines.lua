if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then
    return false
end
redis.call('HSET', KEYS[1], ARGV[1], 1)
redis.call('HEXPIRE', KEYS[1], ARGV[2], 'FIELDS', 1, ARGV[1])
return true
