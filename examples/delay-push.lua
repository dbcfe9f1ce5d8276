-- Delay queue, push: puts a job into the queue, due in DELAY milliseconds.
--
--   redis-cli --eval examples/delay-push.lua {jobs}:due {jobs}:taken {jobs}:body , order-17 cancel 5000
--   miniserver eval examples/delay-push.lua {jobs}:due {jobs}:taken {jobs}:body , order-17 cancel 5000
--
-- KEYS[1]  due, a sorted set of the jobs that wait: id -> when it is due
-- KEYS[2]  taken, a sorted set of the jobs being worked on: id -> when the worker's lease ends
-- KEYS[3]  body, a hash: id -> what there is to do
-- ARGV     ID, BODY, DELAY, and NOW in milliseconds, or the server's clock
-- reply    1, or 0 if a job of that id is there already, waiting or taken: pushing twice is safe
--
-- The four scripts of the queue take the same three keys; the braces keep them together in a
-- cluster. The keys have no time to live, because a job must not get lost; they are removed
-- with the last job.
local due, taken, body = KEYS[1], KEYS[2], KEYS[3]
local id, text, delay, now = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
if not (due and taken and body and delay) then
  return redis.error_reply('ERR usage: keys DUE TAKEN BODY, arguments ID BODY DELAY [NOW]')
end
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

if redis.call('HSETNX', body, id, text) == 0 then
  return 0
end
redis.call('ZADD', due, now + delay, id)
return 1
