local keys = {'a', 'b'}
local t = {
  1,
  2,
  name = 'x',
  [3] = keys[1],
  list = {
    4, 5
  },
  f = function()
    return 1
  end,
}
local empty = {
}
local call = redis.call
call('SET', keys[1],
  'value')
redis.call(
  'SET',
  keys[1],
  t.name,
  'PX', 100
)
local text = 'a' ..
  'b' ..
  keys[1]
local sum = 1 +
  #keys
local both = keys[1] == 'a' and
  keys[2] == 'b'
local first, second =
  keys[1],
  keys[2]
t.name = redis.call('GET',
  keys[1])
local nested = tonumber(redis.call('GET', tostring(
  keys[2])))
sum = (
  sum + 1
)
return {
  sum,
  redis.call('GET', 'x'),
  first
}
