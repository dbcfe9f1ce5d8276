-- Unpaid orders in a list: at most MOST for each customer, given up after PATIENCE milliseconds.
--
--   redis-cli --eval examples/order-list.lua unpaid:alice , order:7 3 1800000
--   miniserver eval examples/order-list.lua unpaid:alice , order:7 3 1800000
--
-- KEYS[1]  a list, one element for each order, the oldest at the head
-- ARGV     ORDER, MOST, PATIENCE
-- reply    1 if the order was noted, 0 if there are too many, or it is noted already
--
-- Each order has a deadline of its own. After it no command sees the order, and the key is removed with
-- the last one: no script sweeps. LREM marks an order as paid. (miniserver only.)
local key, order = KEYS[1], ARGV[1]
local most, patience = tonumber(ARGV[2]), tonumber(ARGV[3])
if not (most and patience and most >= 1 and patience >= 1) then
  return redis.error_reply('ERR usage: ORDER MOST PATIENCE, the numbers at least 1')
end
if redis.call('LPOS', key, order) or redis.call('LLEN', key) >= most then
  return 0
end
redis.call('RPUSH', key, order)
redis.call('LPEXPIRE', key, patience, 'ELEMENTS', 1, order)
return 1
