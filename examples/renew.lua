-- Renew: restarts the lease of a lock taken with lock.lua.
--
--   redis-cli --eval examples/renew.lua lock:report , worker-1 30000
--   miniserver eval examples/renew.lua lock:report , worker-1 30000
--
-- KEYS[1]  the lock
-- ARGV     TOKEN, the one it was taken with, and TTL in milliseconds
-- reply    1, or 0 if the lock is not held by TOKEN any more: then the work must stop
--
-- A holder that needs longer than its lease calls this after about a third of it. It never takes a
-- lock that is free: another client may have held it in between.
local key, token, ttl = KEYS[1], ARGV[1], tonumber(ARGV[2])
if not (key and ttl and ttl >= 1) then
  return redis.error_reply('ERR usage: TOKEN TTL, at least 1')
end

if redis.call('GET', key) ~= token then
  return 0
end
return redis.call('PEXPIRE', key, ttl)
