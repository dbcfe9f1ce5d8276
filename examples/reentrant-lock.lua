-- Reentrant lock: like lock.lua, but its owner may take it several times, and must release it as often.
--
--   redis-cli --eval examples/reentrant-lock.lua lock:account , worker-1:thread-7 30000
--   miniserver eval examples/reentrant-lock.lua lock:account , worker-1:thread-7 30000
--
-- KEYS[1]  a hash with one field: owner -> how often it holds the lock
-- ARGV     OWNER, a text that no other client uses, and TTL in milliseconds
-- reply    {1, how often it is held now}  or
--          {0, milliseconds until the other's lease ends, -1: it has no end}
--
-- To renew the lease, take the lock once more with the new TTL, and release it once.
local key, owner, ttl = KEYS[1], ARGV[1], tonumber(ARGV[2])
if not (key and ttl and ttl >= 1) then
  return redis.error_reply('ERR usage: OWNER TTL, at least 1')
end

local left = redis.call('PTTL', key)
if left ~= -2 and redis.call('HEXISTS', key, owner) == 0 then
  return {0, left}
end
local depth = redis.call('HINCRBY', key, owner, 1)

-- Inner code may ask for less time than the code around it needs, so a lease only gets longer.
if left < ttl then
  redis.call('PEXPIRE', key, ttl)
end
return {1, depth}
