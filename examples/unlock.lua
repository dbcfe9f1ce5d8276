-- Unlock: releases a lock taken with lock.lua.
--
--   redis-cli --eval examples/unlock.lua lock:report , worker-1
--   miniserver eval examples/unlock.lua lock:report , worker-1
--
-- KEYS[1]  the lock
-- ARGV     TOKEN, the one it was taken with
-- reply    1, or 0 if the lock is not held by TOKEN (any more)
--
-- A plain DEL would be wrong: the lease may have ended, and another client may hold the lock now.
-- And with GET and then DEL from the client, that could happen between the two.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
