local n = 0
while n < 3 do
  n = n + 1
  if n == 2 then
    n = n + 0
  end
end
while true do
  n = n + 1
  if n > 5 then break end
end
repeat
  local m = n
  n = n - 1
until m < 4
for i = 3, 1, -1 do n = n + i end
for i = 1, 2 do
  for j = 1, 2 do
    n = n + j
  end
end
for i = 1, 0 do
  n = 0
end
for i = 1, 3 do end
local t = {10, 20, x = 1}
for i, v in ipairs(t) do
  n = n + v
end
for k, v in pairs({a = 1}) do
  local w = v
  local f = function() k = w return k end
  f()
end
do
  local hidden = 1
  n = hidden
end
for i = 1, 2 do
  local g = function() i = i + 1 return i end
  n = g()
end
