--- index chains
local t = setmetatable({a = 1}, {__index = {b = 2}})
print(t.a, t.b, t.c, rawget(t, "b"))
local t = setmetatable({}, {__index = setmetatable({x = 1}, {__index = {y = 2}})})
print(t.x, t.y, t.z)
local t = setmetatable({}, {__index = function(t, k) return k end})
print(t.foo, t[1], t[true], rawget(t, 1))
local t = setmetatable({}, {__index = string})
print(t.rep("x", 2))
local t = setmetatable({}, {__index = "abc"})
print(t.len == string.len, t.foo)
local t = setmetatable({}, {__index = 5})
print(pcall(function() return t.x end))
local t = setmetatable({}, {__index = true})
print(pcall(function() return t.x.y end))
local a, b = {}, {}
setmetatable(a, {__index = b}) setmetatable(b, {__index = a})
print(pcall(function() return a.x end))
print(pcall(function() a.x = 1 end), a.x)
setmetatable(a, {__newindex = b}) setmetatable(b, {__newindex = a})
print(pcall(function() a.y = 1 end))
local t = setmetatable({}, {__index = function(t, k) return 1, 2, 3 end})
print(t.x, (t.x))
local t = setmetatable({}, {__index = function(...) return select("#", ...) end})
print(t.x)
local t = setmetatable({1, 2, 3}, {__index = function(t, k) return "d" .. k end})
print(t[1], t[3], t[4], #t)
local mt = {}
local t = setmetatable({}, mt)
print(t.x)
mt.__index = {x = 1}
print(t.x)
mt.__index = nil
print(t.x)
mt.__index = function() return 2 end
print(t.x)
--- newindex
local log = {}
local t = setmetatable({}, {__newindex = function(t, k, v) log[#log + 1] = tostring(k) .. "=" .. tostring(v) end})
t.x = 1 t[1] = 2 t.x = 3
print(table.concat(log, " "), rawget(t, "x"))
local s = {}
local t = setmetatable({}, {__newindex = s})
t.x = 5
print(rawget(t, "x"), s.x)
local t = setmetatable({x = 1}, {__newindex = function() print("no") end})
t.x = 2
print(t.x)
t.x = nil
t.x = 3
print(t.x)
local t = setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, v * 2) end})
t.a = 5 t.a = 6 t[1] = 1 t[1] = 2 t[2] = 2
print(t.a, t[1], t[2])
local t = setmetatable({1, 2}, {__newindex = function(t, k, v) print("new", k, v) end})
t[1] = 10 t[2] = 20 t[3] = 30 t[#t + 1] = 40
table.insert(t, 50)
print(#t, t[3])
local t = setmetatable({}, {__newindex = 5})
print(pcall(function() t.x = 1 end))
print(pcall(function() ("x").y = 1 end))
print(pcall(function() local n = 5; n.y = 1 end))
--- call
local t = setmetatable({}, {__call = function(self, ...) return self ~= nil, select("#", ...), ... end})
print(t()) print(t(1)) print(t(1, 2, 3)) print(t(nil, nil))
print(pcall(t, 1)) print(t "s") print(select(2, t{}))
local u = setmetatable({}, {__call = t})
print(pcall(u))
local o = {m = t}
print(o.m(5) , o:m(6))
local t = setmetatable({}, {__call = 5})
print(pcall(t))
print(pcall(function() t() end))
local t = setmetatable({}, {__call = function(self, a, b) return b, a end})
print(t(unpack{1, 2}))
for i, v in setmetatable({}, {__call = function(self, s, c) c = (c or 0) + 1 if c < 3 then return c, -c end end}) do print(i, v) end
--- arithmetic
local mt = {}
for _, op in ipairs{"add", "sub", "mul", "div", "mod", "pow", "concat"} do
  mt["__" .. op] = function(a, b) return op .. ":" .. (type(a) == "table" and "T" or tostring(a)) .. ":" .. (type(b) == "table" and "T" or tostring(b)) end
end
mt.__unm = function(a, b) return "unm:" .. tostring(rawequal(a, b)) end
local t = setmetatable({}, mt)
print(t + 1, 1 + t, t - 1, 1 - t, t * 2, 2 * t, t / 2, 2 / t, t % 2, 2 % t, t ^ 2, 2 ^ t)
print(t .. "x", "x" .. t, t .. 1, 1 .. t, t .. t, -t)
print("a" .. "b" .. t, t .. "a" .. "b", 1 .. 2 .. t .. 3 .. 4)
print(t + "x", "x" + t, t + nil, nil + t, t + t, true + t, print == nil or (print + t):sub(1, 4))
local u = setmetatable({}, {__add = function() return "other" end})
print(t + u, u + t)
local v = setmetatable({}, {__add = 5})
print(pcall(function() return v + 1 end))
local w = setmetatable({}, {__add = setmetatable({}, {__call = function(self, a, b) return "callable" end})})
print(w + 1)
local x = setmetatable({}, {__add = function() end})
print(x + 1)
local x = setmetatable({}, {__add = function() return 1, 2 end})
print(x + 1)
print(pcall(function() return {} + {} end))
print(pcall(function() local a = setmetatable({}, {}) return a - 1 end))
--- comparison events
local mt = {__eq = function(a, b) print("eq") return a.v == b.v end, __lt = function(a, b) print("lt") return a.v < b.v end, __le = function(a, b) print("le") return a.v <= b.v end}
local function new(v) return setmetatable({v = v}, mt) end
local a, b, c = new(1), new(2), new(1)
print(a == b, a == c, a ~= b, a == a, a < b, a <= b, a > b, a >= b)
print(a == 1, 1 == a, a == nil, a == {v = 1}, rawequal(a, c))
local mt2 = {__lt = function(a, b) print("lt") return a.v < b.v end}
local function new2(v) return setmetatable({v = v}, mt2) end
local a, b = new2(1), new2(2)
print(a < b, a <= b, a > b, a >= b, b <= a)
print(pcall(function() return a < 1 end))
print(pcall(function() return a < new(1) end))
print(pcall(function() return a <= new(1) end))
local a = setmetatable({}, {__eq = function() return 5 end})
local b = setmetatable({}, getmetatable(a))
print(a == b, a ~= b)
local b = setmetatable({}, {__eq = function() return true end})
print(a == b)
local b = setmetatable({}, {__eq = getmetatable(a).__eq})
print(a == b)
local a = setmetatable({}, {__eq = function() return nil end})
print(a == setmetatable({}, getmetatable(a)))
local a = setmetatable({}, {__lt = function() return "yes" end, __le = function() return nil end})
local b = setmetatable({}, getmetatable(a))
print(a < b, a <= b, a > b, a >= b)
local x = setmetatable({}, {__lt = function(a, b) return true end})
print(pcall(function() return x < 1 end)) print(pcall(function() return 1 < x end)) print(pcall(function() return "a" < x end))
local e = setmetatable({}, {__eq = function() error("in eq") end})
print(pcall(function() return e == setmetatable({}, getmetatable(e)) end))
--- length and tostring
local t = setmetatable({1, 2, 3}, {__len = function() return 100 end})
print(#t)
local t = setmetatable({}, {__tostring = function(self) return "me" end})
print(tostring(t), t)
local t = setmetatable({}, {__tostring = function(self) return 5 end})
print(tostring(t))
local t = setmetatable({}, {__tostring = "no"})
print(pcall(tostring, t))
local t = setmetatable({}, {__tostring = function() error("ts") end})
print(pcall(tostring, t))
local t = setmetatable({}, {__tostring = function() return "a", "b" end})
print(tostring(t))
local t = setmetatable({}, {__name = "Foo"})
print((tostring(t):gsub("0x%x+", "")))
--- metatable field
local t = setmetatable({}, {__metatable = "locked"})
print(getmetatable(t), pcall(setmetatable, t, {}))
local t = setmetatable({}, {__metatable = false})
print(getmetatable(t), pcall(setmetatable, t, nil))
print(getmetatable("x").__index == string, getmetatable("x") == getmetatable("y"))
print(getmetatable(1), getmetatable(nil), getmetatable(true), getmetatable(print), getmetatable({}))
print(pcall(getmetatable)) print(pcall(setmetatable, 1, {})) print(pcall(setmetatable, {}, 1)) print(pcall(setmetatable, {})) print(setmetatable({}, nil) ~= nil)
local mt = getmetatable("")
mt.__add = function(a, b) return "sadd" end
print("a" + "b", pcall(function() return "1" + "2" end))
mt.__add = nil
mt.__index = function(s, k) return k end
print(("x").foo, ("x")[1])
mt.__index = string
mt.__call = function(s, x) return s .. x end
print(("a")("b"))
mt.__call = nil
mt.__len = function() return 99 end
print(#"abc")
mt.__len = nil
mt.__lt = function() return true end
print("b" < "a")
mt.__lt = nil
mt.__concat = function() return "c" end
print("a" .. "b", pcall(function() return "a" .. {} end))
mt.__concat = nil
mt.__unm = function() return "neg" end
print(-"x", -"2")
mt.__unm = nil
--- weak and gc
local t = setmetatable({}, {__mode = "k"})
t[1] = 2
print(t[1])
local t = setmetatable({}, {__gc = function() print("never") end})
t = nil
collectgarbage()
--- concat chains
local mt = {__concat = function(a, b) return (type(a) == "table" and "<" .. a.n .. ">" or a) .. (type(b) == "table" and "<" .. b.n .. ">" or b) end}
local a, b = setmetatable({n = "a"}, mt), setmetatable({n = "b"}, mt)
print(a .. b, a .. "x" .. b, "x" .. a .. "y" .. b .. "z", 1 .. a .. 2)
local c = setmetatable({}, {__concat = function(x, y) return setmetatable({}, getmetatable(type(x) == "table" and x or y)) end, __tostring = function() return "C" end})
print(tostring(c .. "x" .. c .. 1))
local order = {}
local function v(n) return setmetatable({}, {__concat = function(x, y) order[#order + 1] = n return n end}) end
local r = v(1) .. v(2) .. v(3) .. v(4)
print(r, table.concat(order, ","))
--- rawops
local t = setmetatable({}, {__index = function() return 1 end, __newindex = function() error("no") end, __eq = function() return true end})
print(rawget(t, "x"), rawset(t, "x", 5) == t, t.x, rawequal(t, setmetatable({}, getmetatable(t))))
print(pcall(rawget, 1, 1)) print(pcall(rawset, {}, 1)) print(pcall(rawequal, 1)) print(rawequal(1, 1), rawequal("a", "a"), rawequal({}, {}))
--- inheritance
local Base = {} Base.__index = Base
function Base.new(x) local o = setmetatable({}, Base) o.x = x return o end
function Base:name() return "base" .. self.x end
local Derived = setmetatable({}, {__index = Base}) Derived.__index = Derived
function Derived.new(x) local o = Base.new(x) return setmetatable(o, Derived) end
function Derived:name() return "derived/" .. Base.name(self) end
print(Base.new(1):name(), Derived.new(2):name())
local proxy = setmetatable({}, {__index = function(_, k) return function(self, ...) return k, ... end end})
print(proxy:anything(1, 2))
local default = setmetatable({}, {__index = function(t, k) local v = k * 2 t[k] = v return v end})
print(default[5], rawget(default, 5), default[5])
local ro = setmetatable({}, {__index = {a = 1}, __newindex = function() error("read only", 2) end})
print(ro.a, pcall(function() ro.b = 1 end))
--- yield across metamethods
local co = coroutine.create(function() local t = setmetatable({}, {__index = function() coroutine.yield() end}) return t.x end)
print(coroutine.resume(co))
local co = coroutine.create(function() local t = setmetatable({}, {__add = function() coroutine.yield() end}) return t + 1 end)
print(coroutine.resume(co))
local co = coroutine.create(function() local t = setmetatable({}, {__call = function() coroutine.yield(5) return 6 end}) return t() end)
print(coroutine.resume(co)) print(coroutine.resume(co))
local co = coroutine.create(function() for x in coroutine.yield do end end)
print(coroutine.resume(co))
local co = coroutine.create(function() for x in function() coroutine.yield(1) end do end end)
print(coroutine.resume(co))
--- keys that __newindex never sees
local t = setmetatable({}, {__newindex = function(t, k, v) print('called') end})
print(pcall(function() t[0/0] = 1 end))
print(pcall(function() t[nil] = 1 end))
local u = setmetatable({}, {__newindex = {}})
print(pcall(function() u[0/0] = 1 end))
print(pcall(function() u[nil] = 1 end))
local w = setmetatable({}, {__newindex = t})
print(pcall(function() w[nil] = 1 end))
