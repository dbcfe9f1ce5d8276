--- binary
local values = {"nil", "true", "false", "0", "1", "-1", "2.5", "-7", "2^53", "1e300", "1/0", "-1/0", "0/0", "''", "'a'", "'10'", "'0x1F'", "' 5 '", "'1e2'", "'abc'", "{}", "tostring", "T"}
T = setmetatable({}, {__add = function() return "add" end, __sub = function() return "sub" end, __mul = function() return "mul" end, __div = function() return "div" end, __mod = function() return "mod" end, __pow = function() return "pow" end, __concat = function() return "cat" end, __eq = function() return true end, __lt = function() return true end, __le = function() return false end})
for _, op in ipairs{"+", "-", "*", "/", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "and", "or"} do
  for _, a in ipairs(values) do
    local line = {}
    for i, b in ipairs(values) do
      local ok, r = pcall(loadstring("return (" .. a .. ") " .. op .. " (" .. b .. ")", "=t"))
      r = tostring(r):gsub("^t:1: ", ""):gsub("attempt to ", ""):gsub("perform arithmetic on", "arith"):gsub("nan", "nan"):gsub("0x%x+", "")
      line[i] = r
    end
    print(a .. " " .. op, table.concat(line, "|"))
  end
end
--- variables
local values = {"nil", "true", "0", "2.5", "'a'", "'10'", "{}", "tostring"}
for _, op in ipairs{"+", "-", "*", "/", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "and", "or"} do
  for _, a in ipairs(values) do
    local line = {}
    for _, b in ipairs(values) do
      for _, shape in ipairs{"local a, b = A, B return a OP b", "local a = A return a OP B", "local b = B return A OP b", "local t, u = {x = A}, {B} return t.x OP u[1]",
        "local a, b = A, B return (function() return a OP b end)()", "local a = A local b = B if a OP b then return 1 else return 0 end", "local a, b = A, B while not (a OP b) do return 'no' end return 'yes'",
        "local a, b = A, B local function f(x) return x end return f(a) OP f(b)", "local a, b = A, B a = a OP b return a", "local a, b = A, B local function f() a = a OP b end f() return a"} do
        local source = shape:gsub("OP", op):gsub("A", "(" .. a:gsub("%%", "%%%%") .. ")"):gsub("B", "(" .. b:gsub("%%", "%%%%") .. ")")
        local ok, r = pcall(loadstring(source, "=t"))
        r = tostring(r):gsub("^t:1: ", ""):gsub("attempt to ", ""):gsub("perform arithmetic on", "arith"):gsub("0x%x+", "")
        line[#line + 1] = r
      end
    end
    local short, last, count = {}, nil, 0
    for _, r in ipairs(line) do
      if r == last then count = count + 1 else if last then short[#short + 1] = last .. (count > 1 and "*" .. count or "") end last, count = r, 1 end
    end
    short[#short + 1] = last .. "*" .. count
    print(a .. " " .. op, table.concat(short, "|"))
  end
end
--- unary
for _, op in ipairs{"-", "not ", "#", "- -", "not not ", "-#"} do
  local line = {}
  for i, a in ipairs{"nil", "true", "false", "0", "1", "-1", "2.5", "1/0", "0/0", "''", "'a'", "'10'", "' 5 '", "'0x1F'", "{}", "{1,2,3}", "{1,nil,3}", "tostring", "newproxy()"} do
    local ok, r = pcall(loadstring("return " .. op .. "(" .. a .. ")", "=t"))
    line[i] = tostring(r)
  end
  print(op, table.concat(line, "|"))
end
--- precedence
local ops = {"+", "*", "^", "..", "==", "<", "and", "or", "-", "/", "%", "~=", "<=", ">", ">="}
for _, o1 in ipairs(ops) do
  local line = {}
  for i, o2 in ipairs(ops) do
    local ok, r = pcall(loadstring("return 7 " .. o1 .. " 3 " .. o2 .. " 2", "=t"))
    line[i] = tostring(r)
  end
  print(o1, table.concat(line, "|"))
end
for _, u in ipairs{"-", "not ", "#"} do
  local line = {}
  for i, o in ipairs(ops) do
    local ok, r = pcall(loadstring("return " .. u .. "'5' " .. o .. " '3'", "=t"))
    line[#line + 1] = tostring(r)
    local ok, r = pcall(loadstring("return '5' " .. o .. " " .. u .. "'3'", "=t"))
    line[#line + 1] = tostring(r)
  end
  print(u, table.concat(line, "|"))
end
--- arithmetic on many numbers
local numbers = {0, 1, -1, 2, 3, 7, 10, -10, 0.5, -0.5, 1.5, 100, 255, 256, 1e10, 1e15, 2^31, 2^32, 2^53, 1e300, -1e300, 1e-300, 1/0, -1/0}
for _, f in ipairs{
  function(a, b) return a + b end, function(a, b) return a - b end, function(a, b) return a * b end, function(a, b) return a / b end,
  function(a, b) return a % b end, function(a, b) return a ^ b end,
  function(a, b) return a < b and 1 or 0 end, function(a, b) return a == b and 1 or 0 end} do
  for _, a in ipairs(numbers) do
    local line = {}
    for i, b in ipairs(numbers) do
      local r = f(a, b)
      line[i] = r ~= r and "nan" or tostring(r)
    end
    print(a, table.concat(line, " "))
  end
end
--- numeric variables
local s, p, d = 0, 1, 100
for i = 1, 20 do s = s + i * 2 % 7 p = p * 1.5 - i d = d / 2 + i ^ 2 end
print(s, p, d)
local x = 5
x = x + 1 x = x - 2 x = x * 3 x = x / 4 x = x % 2 x = x ^ 2 x = -x x = 10 - x x = 2 ^ x x = x % 5.5 x = -x % 3
print(x)
local n = 0
for i = 10, 1, -3 do for j = i, i + 2 do n = n + i * j - (i - j) end end
print(n)
local function f() n = n + 0.5 return n end
print(f() + n, n + f(), n)
local a = 1
do local b = a + 1 a = b * b local c = a - b a = c end
print(a)
local m = 7
m = m % 3 + m % 2 + (m + 1) % 4 + -m % 5 + m % -3 + m % 0.5
print(m)
local q = 0
q = q % 5 print(q) q = -q print(1 / q) q = (0 - 7) % 7 print(q)
local big = 2 ^ 40
print(big % 10, (big + 0.5) % 10, -big % 10, big % 1e9, big % 3)
local w = 0
while w < 10 do w = w + 3 if w >= 6 then break end end
print(w)
repeat w = w * 2 until w > 100
print(w)
local z = 0
z = "5" + z
print(z)
--- numeric variables that are not
local y = 1
print(pcall(function() y = y + nothing end))
print(y)
local k = 1
if k then k = "s" end
print(k .. 1)
local v = 3
local function g() v = nil end
g()
print(v)
local u, w = 1, 2
u, w = w, "x"
print(u, w)
for i = 1, 3 do local t = i if i == 2 then i = "two" end print(i, t) end
local c = 0
for i = 1, 3 do c = c + (i == 2 and 10 or 1) end
print(c)
local e = 1
e = e + (e == 1 and "5" or 2)
print(e)
local h
h = 5
h = h + 1
print(h)
