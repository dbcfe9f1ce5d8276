local function add(a, b)
  local s = a + b
  return s
end

local total = 0
for i = 1, 3 do
  total = add(total, i)
end

local list = {}
function list.push(v)
  list[#list + 1] = v
end
function list:size()
  return #self
end
list.push(
  1
)
list.push(add(
  total,
  2
))
local n = list:size()
local ok, err = pcall(function()
  error("x")
end)
table.sort(list, function(a, b)
  return a < b
end)
local text = string.gsub("ab", ".", function(c)
  return c
end)
return add(n,
  total)
