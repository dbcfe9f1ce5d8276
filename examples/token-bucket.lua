-- Token bucket: bursts of up to CAPACITY requests, and in the long run REFILL of them each PERIOD
-- milliseconds.
--
--   redis-cli --eval examples/token-bucket.lua api:alice , 10 1 1000
--   redis-cli --eval examples/token-bucket.lua api:alice , 10 1 1000 4
--   miniserver eval examples/token-bucket.lua api:alice , 10 1 1000 4
--
-- KEYS[1]  a hash: level, the content of the bucket, and at, the time of that level
-- ARGV     CAPACITY, REFILL, PERIOD, COST in tokens (1 by default, 0 only looks), and NOW in
--          milliseconds, or the server's clock
-- reply    {1, tokens left, 0}  or  {0, tokens left, milliseconds until COST is there, -1: never}
--
-- A level is kept in parts of a token, PERIOD to the token. Then a millisecond adds REFILL parts,
-- all numbers are integers, and nothing is lost to rounding: after the wait in the reply
-- the tokens are there. (If PERIOD changes, the level is misread until the bucket is full again.)
local key = KEYS[1]
local capacity, refill, period = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local cost, now = tonumber(ARGV[4] or 1), tonumber(ARGV[5])
if not (capacity and refill and period and cost and capacity >= 1 and refill >= 1 and period >= 1
    and cost >= 0) then
  return redis.error_reply('ERR usage: CAPACITY REFILL PERIOD [COST [NOW]], the first three at least 1')
end
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- An absent key is a full bucket. A clock that goes back adds nothing, and no time counts twice.
local full, level, at = capacity * period, capacity * period, now
local state = redis.call('HMGET', key, 'level', 'at')
if state[1] then
  at = math.max(now, tonumber(state[2]))
  level = math.min(full, state[1] + (at - state[2]) * refill)
end

-- How long it takes until the bucket holds that much.
local function wait(parts) return at - now + math.ceil((parts - level) / refill) end

local parts = cost * period
if parts > full then
  return {0, math.floor(level / period), -1}
elseif parts > level then
  return {0, math.floor(level / period), wait(parts)}
end
level = level - parts
if level == full then
  return {1, capacity, 0}
end
redis.call('HSET', key, 'level', level, 'at', at)

-- A full bucket is the same as no key, so the key lives until it is full.
redis.call('PEXPIRE', key, wait(full))
return {1, math.floor(level / period), 0}
