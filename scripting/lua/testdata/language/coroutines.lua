--- basics
local co = coroutine.create(function(a, b) print("start", a, b) local c = coroutine.yield(a + b) print("got", c) local d, e = coroutine.yield(c * 2) print("got", d, e) return "end", d + e end)
print(coroutine.status(co), type(co))
print(coroutine.resume(co, 1, 2))
print(coroutine.status(co))
print(coroutine.resume(co, 10))
print(coroutine.resume(co, 3, 4))
print(coroutine.status(co))
print(coroutine.resume(co))
print(coroutine.resume(co, 1))
--- wrap
local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
print(gen(), gen(), gen(), gen())
print(pcall(gen))
local gen = coroutine.wrap(function() error("inside") end)
print(pcall(gen))
print(pcall(gen))
local gen = coroutine.wrap(function() error({code = 5}) end)
local ok, e = pcall(gen)
print(ok, type(e), e.code)
local gen = coroutine.wrap(function() error("msg", 0) end)
print(pcall(gen))
print(pcall(function() gen() end))
for v in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i * i) end end) do print(v) end
--- status
local co
co = coroutine.create(function()
  print(coroutine.status(co))
  local inner = coroutine.create(function() print(coroutine.status(co)) print(coroutine.resume(co)) end)
  print(coroutine.resume(inner))
  print(coroutine.status(inner))
  print(coroutine.resume(coroutine.running()))
end)
print(coroutine.resume(co))
print(coroutine.status(co))
print(coroutine.running())
print(pcall(coroutine.status)) print(pcall(coroutine.status, 1)) print(pcall(coroutine.resume)) print(pcall(coroutine.resume, print)) print(pcall(coroutine.create)) print(pcall(coroutine.create, 1)) print(pcall(coroutine.wrap, nil)) print(pcall(coroutine.create, print))
--- yield outside
print(pcall(coroutine.yield)) print(pcall(coroutine.yield, 1, 2))
try [[coroutine.yield()]]
--- yield through pcall
local co = coroutine.create(function() print(pcall(function() coroutine.yield(1) end)) return "after" end)
print(coroutine.resume(co)) print(coroutine.status(co))
local co = coroutine.create(function() print(pcall(coroutine.yield, 1)) return "after" end)
print(coroutine.resume(co)) print(coroutine.status(co))
local co = coroutine.create(function() table.sort({3, 2, 1}, function(a, b) coroutine.yield() return a < b end) end)
print(coroutine.resume(co))
local co = coroutine.create(function() return (string.gsub("abc", ".", function(c) coroutine.yield(c) end)) end)
print(coroutine.resume(co))
local co = coroutine.create(function() return loadstring("coroutine.yield(1) return 2")() end)
print(coroutine.resume(co)) print(coroutine.resume(co))
--- errors
local co = coroutine.create(function() error("x") end)
print(coroutine.resume(co)) print(coroutine.status(co)) print(coroutine.resume(co))
local co = coroutine.create(function() local x = nil; x.y = 1 end)
print(coroutine.resume(co))
local co = coroutine.create(function() error() end)
print(coroutine.resume(co))
local co = coroutine.create(function() error(nil) end)
print(coroutine.resume(co))
local co = coroutine.create(function() error(setmetatable({}, {__tostring = function() return "E" end})) end)
print(coroutine.resume(co))
local co = coroutine.create(function() coroutine.yield(1) error("later") end)
print(coroutine.resume(co)) print(coroutine.resume(co)) print(coroutine.status(co))
local co = coroutine.create(function() local function f() return 1 + f() end return f() end)
print(coroutine.resume(co)) print(coroutine.status(co))
local co = coroutine.create(function() error("lvl", 2) end)
print(coroutine.resume(co))
local co = coroutine.create(function() local function f() error("lvl", 2) end f() end)
print(coroutine.resume(co))
--- passing
local co = coroutine.create(function(...) print(select("#", ...), ...) while true do print("in", coroutine.yield(select("#", ...), ...)) end end)
print(coroutine.resume(co)) print(coroutine.resume(co, 1, nil, 3)) print(coroutine.resume(co, nil)) print(coroutine.resume(co))
local co = coroutine.create(function() return end)
print(coroutine.resume(co))
local co = coroutine.create(function() return nil end)
print(coroutine.resume(co))
local co = coroutine.create(function() return unpack({}, 1, 100) end)
print(select("#", coroutine.resume(co)))
local co = coroutine.create(function(...) return select("#", ...) end)
print(coroutine.resume(co, unpack({}, 1, 200)))
local co = coroutine.wrap(function(...) local n = 0 while true do n = n + select("#", coroutine.yield(n)) end end)
print(co(), co(1), co(1, 2), co())
local co = coroutine.create(function() return coroutine.yield(coroutine.yield(1)) end)
print(coroutine.resume(co)) print(coroutine.resume(co, 2)) print(coroutine.resume(co, 3)) print(coroutine.resume(co, 4))
local co = coroutine.create(function() return coroutine.yield() end)
print(coroutine.resume(co)) print(coroutine.resume(co, 1, 2, 3))
--- many
local cos = {}
for i = 1, 100 do cos[i] = coroutine.wrap(function() local s = 0 for j = 1, 10 do s = s + i * j coroutine.yield(s) end return "done" .. i end) end
local total = 0
for j = 1, 10 do for i = 1, 100 do total = total + cos[i]() end end
print(total, cos[1](), cos[100]())
local function permgen(a, n) if n <= 1 then coroutine.yield(table.concat(a, "")) else for i = 1, n do a[n], a[i] = a[i], a[n] permgen(a, n - 1) a[n], a[i] = a[i], a[n] end end end
local r = {}
for p in coroutine.wrap(function() permgen({1, 2, 3, 4}, 4) end) do r[#r + 1] = p end
print(#r, table.concat(r, " "))
local function nest(n) if n == 0 then return "bottom" end return coroutine.wrap(function() return nest(n - 1) end)() end
print(nest(50))
local function producer() return coroutine.create(function() for _, l in ipairs{"a", "b", "c"} do coroutine.yield(l) end end) end
local function filter(p) return coroutine.create(function() local n = 1 while true do local _, l = coroutine.resume(p) if not l then return end coroutine.yield(n .. ":" .. l) n = n + 1 end end) end
local f = filter(producer())
while true do local _, l = coroutine.resume(f) if not l then break end print(l) end
--- upvalues
local n = 0
local co = coroutine.wrap(function() while true do n = n + 1 coroutine.yield() end end)
co() co() n = n + 10 co()
print(n)
local function make() local x = 0 return coroutine.wrap(function() while true do x = x + 1 coroutine.yield(x) end end), function() return x end end
local step, get = make()
step() step()
print(get())
--- running
local co = coroutine.create(function() return coroutine.running() end)
local ok, r = coroutine.resume(co)
print(ok, r == co, coroutine.running())
local co = coroutine.wrap(function() local me = coroutine.running() coroutine.yield(coroutine.status(me)) end)
print(co())
--- deep stacks
local function deep(n) if n == 0 then coroutine.yield("deep") return 0 end return 1 + deep(n - 1) end
local co = coroutine.create(deep)
print(coroutine.resume(co, 5000)) print(coroutine.resume(co))
local co = coroutine.wrap(function() local t = {} for i = 1, 1000 do t[i] = i end coroutine.yield(unpack(t)) return "x" end)
print(select("#", co()), co())
--- wrap errors position
local w = coroutine.wrap(function() error("e") end)
local function call() w() end
print(pcall(call))
local w = coroutine.wrap(function() coroutine.yield() end)
w() w()
print(pcall(w))
print(pcall(function() w() end))
local w
w = coroutine.wrap(function() return pcall(w) end)
print(w())
--- tables as keys
local t = {}
local co1, co2 = coroutine.create(function() end), coroutine.create(function() end)
t[co1] = 1 t[co2] = 2
print(t[co1], t[co2], co1 == co2, co1 == co1)
--- tail calls from a segment of their own
-- The frame that makes the tail call did not fit the stack segment, its callee does and calls on.
local function small(t)
  table.sort(t, function(a, b) local c = {a < b} return c[1] end)
  return t, table.concat(t, ',')
end
local function large()
  local a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z
  return small({6, 5, 1, 8, 2, 0, 3})
end
local function deep(n)
  if n == 0 then return pcall(large) end
  local ok, list, text = deep(n - 1)
  return ok, list, text
end
local good, bad = 0, nil
for n = 0, 120 do
  local co = coroutine.wrap(function() return deep(n) end)
  local ok, list, text = co()
  if ok and text == '0,1,2,3,5,6,8' and #list == 7 then good = good + 1 else bad = bad or (n .. ': ' .. tostring(list)) end
end
print(good, bad)
