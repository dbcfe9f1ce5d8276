-- Reentrant unlock: releases a lock taken with reentrant-lock.lua once.
--
--   redis-cli --eval examples/reentrant-unlock.lua lock:account , worker-1:thread-7
--   miniserver eval examples/reentrant-unlock.lua lock:account , worker-1:thread-7
--
-- KEYS[1]  the lock
-- ARGV     OWNER, the one it was taken with
-- reply    how often OWNER still holds it, 0: it is free; or -1 if OWNER does not hold it (any more)
local key, owner = KEYS[1], ARGV[1]
if redis.call('HEXISTS', key, owner) == 0 then
  return -1
end
local depth = redis.call('HINCRBY', key, owner, -1)
if depth <= 0 then
  redis.call('DEL', key)
end
return depth
