-- Lock: takes a lock for TTL milliseconds, unless another client holds it.
--
--   redis-cli --eval examples/lock.lua lock:report , worker-1 30000
--   miniserver eval examples/lock.lua lock:report , worker-1 30000
--
-- KEYS[1]  the token of the holder; its time to live is the rest of the lease
-- ARGV     TOKEN, a text that no other client uses (a random one), and TTL
-- reply    {1, TTL}  or  {0, milliseconds until the other's lease ends, -1: it has no end}
--
-- SET key TOKEN NX PX TTL is nearly all of it. The script adds the time to wait. A client that did
-- not get the first reply can ask again: for the same token the script restarts the lease. A
-- lease can end while its holder still works, so the code that the lock protects must
-- tolerate that; renew.lua makes it rare.
local key, token, ttl = KEYS[1], ARGV[1], tonumber(ARGV[2])
if not (key and ttl and ttl >= 1) then
  return redis.error_reply('ERR usage: TOKEN TTL, at least 1')
end

local holder = redis.call('GET', key)
if holder and holder ~= token then
  return {0, redis.call('PTTL', key)}
end
redis.call('SET', key, token, 'PX', ttl)
return {1, ttl}
