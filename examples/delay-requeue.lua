-- Delay queue, re-queue: makes jobs due again whose workers did not acknowledge them in time.
--
--   redis-cli --eval examples/delay-requeue.lua {jobs}:due {jobs}:taken {jobs}:body , 100
--   miniserver eval examples/delay-requeue.lua {jobs}:due {jobs}:taken {jobs}:body , 100
--
-- KEYS     due, taken, body, as in delay-push.lua
-- ARGV     COUNT, how many at most, and NOW in milliseconds, or the server's clock
-- reply    how many were put back; if that is COUNT there may be more
--
-- Any client may run it from time to time, and running it twice does no harm. COUNT bounds how
-- long other clients wait for it.
local due, taken = KEYS[1], KEYS[2]
local count, now = tonumber(ARGV[1]), tonumber(ARGV[2])
if not (due and taken and count and count >= 1) then
  return redis.error_reply('ERR usage: keys DUE TAKEN BODY, arguments COUNT [NOW], at least 1')
end
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- A job is due from the end of its lease on, not from now: those that waited longer come first.
local late = redis.call('ZRANGEBYSCORE', taken, '-inf', now, 'WITHSCORES', 'LIMIT', 0, count)
for i = 1, #late, 2 do
  redis.call('ZREM', taken, late[i])
  redis.call('ZADD', due, late[i + 1], late[i])
end
return #late / 2
