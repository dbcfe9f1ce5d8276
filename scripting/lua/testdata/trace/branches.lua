local a, b = 1, 2
local c
local d
if a == 1 then
  c = 1
else
  c = 2
end
if a == 2 then
  c = 3
elseif b == 2 then
  c = 4
else
  c = 5
end
if a and
   b then
  c = 6
end
if a then
  if b then
    c = 7
  end
else
  c = 8
end
if not c or a > b then
  d = 1
end
if true then
  d = 2
end
if a then d = 3 else d = 4 end
local function f(x)
  if x then
    return 1
  end
  return 2
end
local function nothing()
end
local function silent(x)
  local y
  if x then y = x end
end
f(true)
f(false)
nothing()
silent(1)
local e = a and b or c
local g
local h
g = h
