-- Unpaid orders in a sorted set, for every Redis: at most MOST for each customer, given up after PATIENCE milliseconds.
--
--   redis-cli --eval examples/order-zset.lua unpaid:alice , order:7 3 1800000
--   miniserver eval examples/order-zset.lua unpaid:alice , order:7 3 1800000
--
-- KEYS[1]  a sorted set, one member for each order, its score the time at which it is given up
-- ARGV     ORDER, MOST, PATIENCE, and NOW in milliseconds, or the server's clock
-- reply    1 if the order was noted, 0 if there are too many, or it is noted already
--
-- The members do not expire by themselves: the score holds the time, and every reader has to ignore members that are
-- overdue, or to remove them first, as this script does. ZREM marks an order as paid.
local key, order = KEYS[1], ARGV[1]
local most, patience, now = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if not (most and patience and most >= 1 and patience >= 1) then
  return redis.error_reply('ERR usage: ORDER MOST PATIENCE [NOW], the numbers at least 1')
end
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
if redis.call('ZSCORE', key, order) or redis.call('ZCARD', key) >= most then
  return 0
end
redis.call('ZADD', key, now + patience, order)
redis.call('PEXPIRE', key, patience)
return 1
