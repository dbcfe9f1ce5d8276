-- Delay queue, acknowledge: the job is done and leaves the queue.
--
--   redis-cli --eval examples/delay-ack.lua {jobs}:due {jobs}:taken {jobs}:body , order-17
--   miniserver eval examples/delay-ack.lua {jobs}:due {jobs}:taken {jobs}:body , order-17
--
-- KEYS     due, taken, body, as in delay-push.lua
-- ARGV     ID
-- reply    1, or 0 if the job is not taken: it was acknowledged before, or its lease ended and it
--          went back into the queue, so that it will be done again
-- lint: ignore unused-key all scripts of the queue get the same keys
local taken, body, id = KEYS[2], KEYS[3], ARGV[1]
if not (taken and body and id) then
  return redis.error_reply('ERR usage: keys DUE TAKEN BODY, argument ID')
end

if redis.call('ZREM', taken, id) == 0 then
  return 0
end
redis.call('HDEL', body, id)
return 1
