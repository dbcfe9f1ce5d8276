-- Unlock: gives up a lock taken with lock.lua.
--
--   redis-cli --eval examples/unlock.lua lock:report , worker-1
--   miniserver eval examples/unlock.lua lock:report , worker-1
--
-- KEYS[1]  the lock
-- ARGV     TOKEN, the one it was taken with
-- reply    1, or 0 if the lock is not held by TOKEN (any more)
--
-- A plain DEL would be wrong: the lease may have ended and the lock be another's by now. And GET
-- followed by DEL from the client would leave a gap for that between the two.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
