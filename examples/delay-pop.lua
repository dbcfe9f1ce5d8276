-- Delay queue, pop: takes up to COUNT jobs that are due, for LEASE milliseconds.
--
--   redis-cli --eval examples/delay-pop.lua {jobs}:due {jobs}:taken {jobs}:body , 10 30000
--   miniserver eval examples/delay-pop.lua {jobs}:due {jobs}:taken {jobs}:body , 10 30000
--
-- KEYS     due, taken, body, as in delay-push.lua
-- ARGV     COUNT, LEASE, and NOW in milliseconds, or the server's clock
-- reply    id, body, id, body, ... in the order in which they were due; empty if no job is due
--
-- Looking and taking are one step, so two workers never get the same job at once. A job stays in
-- the queue's keys until delay-ack.lua removes it; if its worker dies, delay-requeue.lua
-- makes it due again when the lease has ended. So every job is done at least once.
local due, taken, body = KEYS[1], KEYS[2], KEYS[3]
local count, lease, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not (due and taken and body and count and lease and count >= 1 and lease >= 1) then
  return redis.error_reply('ERR usage: keys DUE TAKEN BODY, arguments COUNT LEASE [NOW], both at least 1')
end
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local jobs = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, count)) do
  redis.call('ZREM', due, id)
  redis.call('ZADD', taken, now + lease, id)
  jobs[#jobs + 1] = id
  jobs[#jobs + 1] = redis.call('HGET', body, id)
end
return jobs
