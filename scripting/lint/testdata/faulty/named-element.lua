local all = redis.call('HGETALL', KEYS[1]) -- want: unbounded-read
local time = redis.call('TIME')
local config = redis.call('CONFIG', 'GET', 'maxmemory')  -- want: not-in-scripts
local reply = redis.pcall('GET', KEYS[1])
if reply.err then return reply end
if redis.call('PING').ok ~= 'PONG' then return 0 end
return {all.limit, time.seconds, all[1], time[2], all['2']} -- want: named-element named-element
