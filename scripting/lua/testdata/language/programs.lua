--- scopes
local x = 1
do local x = 2 print(x) do local x = x + 1 print(x) end print(x) end
print(x)
local x = x + 10
print(x)
local a, b, c = 1, 2
print(a, b, c)
local a, b = 1, 2, 3
print(a, b)
local function f() return 1, 2, 3 end
local a, b, c, d = f()
print(a, b, c, d)
local a, b, c, d = 0, f()
print(a, b, c, d)
local a, b = f(), 10
print(a, b)
local a, b, c = (f())
print(a, b, c)
for i = 1, 2 do local i = i * 2 print(i) end
local i = 100
for i = 1, 2 do end
print(i)
repeat local done = true until done
print(done)
if true then local y = 5 print(y) else local z = 1 end
print(y, z)
local function shadow(x) local x = x or 5 return x end
print(shadow(), shadow(3))
--- assignment order
local i = 1
local t = {}
i, t[i] = i + 1, 20
print(i, t[1], t[2])
local a, b = 1, 2
a, b = b, a
print(a, b)
local t = {1, 2}
t[1], t[2] = t[2], t[1]
print(t[1], t[2])
local function log(x) print("eval", x) return x end
local t = setmetatable({}, {__newindex = function(t, k, v) print("set", k, v) end})
t[log(1)], t[log(2)], t[log(3)] = log("a"), log("b"), log("c")
t.x, t.y = 1
a, b, c = 0, 1
print(a, b, c)
a, a = 1, 2
print(a)
local t = {}
t.x, t.x = 1, 2
print(t.x)
local a = {}
a, a.x = nil, 5
print(a)
local a = {}
local keep = a
a.x, a = 5, nil
print(a, keep.x)
local k = "p"
local t = {}
t[k], k = 1, "q"
print(t.p, t.q, k)
--- late operands
local a = 1
local function set(v) a = v return 1 end
print(a + set(10))
print(a, set(20), a)
a = 1
print(a < set(5) , a)
a = 1
print((a .. set(7)) , a)
a = 1
print(a * set(3) + a)
local t = {x = 1}
local function swap() t = {x = 50} return 1 end
print(t.x + swap())
t = {10, 20}
local function swap2() t = {30, 40} return 2 end
print(t[swap2()])
t = {}
local old = t
local function swap3() t = {} return "v" end
t[1] = swap3()
print(old[1], t[1])
t = {}
local old = t
t.k = swap3()
print(old.k, t.k)
g = {}
local old = g
local function swap4() g = {} return "v" end
g.k = swap4()
print(old.k, g.k)
local key = "a"
local function newkey() key = "b" return 1 end
local t = {}
t[key] = newkey()
print(t.a, t.b)
local key = "a"
local function newkey() key = "b" return 1 end
local t = {[key] = newkey()}
print(t.a, t.b)
local v = 1
local function inc() v = v + 1 return v end
print(v, inc(), v, inc(), v)
local three = {v, inc(), v}
print(three[1], three[2], three[3])
--- table order
local function keys(t) local r = {} for k in pairs(t) do r[#r + 1] = tostring(k) end return table.concat(r, " ") end
print(keys{a = 1, b = 2, c = 3, d = 4, e = 5})
print(keys{x = 1, 1, 2, 3, y = 2, [10] = 5, [2.5] = 1, [true] = 1, [false] = 2})
local t = {}
for i = 1, 20 do t["key" .. i] = i end
print(keys(t))
for i = 1, 20, 3 do t["key" .. i] = nil end
print(keys(t))
for i = 30, 40 do t["other" .. i] = i end
print(keys(t))
local t = {}
for i = 10, 1, -1 do t[i] = i end
print(keys(t), #t)
local t = {}
for i = 1, 100, 7 do t[i] = i t[-i] = i t[i / 2] = 1 end
print(keys(t), #t)
local t = {}
for _, w in ipairs{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"} do t[w] = #w print(keys(t)) end
local t = {n = 1, name = 2, id = 3, type = 4, value = 5, score = 6}
t.n = nil t.extra = 1 t.more = 2 t.again = 3
print(keys(t))
local t = {}
t[1e15] = 1 t[2^53] = 2 t[-0.5] = 3 t[1/0] = 4 t[-1/0] = 5 t[1e300] = 6 t[123456.789] = 7
print(keys(t))
local t = {1, 2, 3}
t.a = 1 t[4] = 4 t.b = 2 t[5] = 5 t[100] = 1 t[6] = 6
print(keys(t))
local t = {}
for i = 1, 31 do t[("x"):rep(i)] = i end
print(keys(t):len(), next(t))
local r = {}
for k, v in pairs(t) do r[#r + 1] = v end
print(table.concat(r, " "))
--- borders
print(#{}, #{1}, #{1, 2}, #{1, nil}, #{1, nil, 3}, #{nil, nil, 3}, #{nil}, #{nil, nil}, #{1, 2, nil, 4}, #{nil, 2})
print(#{n = 1}, #{1, 2, 3, n = 1}, #{[1] = 1, [2] = 2}, #{[1] = 1, [3] = 3}, #{[2] = 2}, #{[1] = 1, [2] = 2, [4] = 4})
local t = {}
t[1] = 1 t[2] = 2 t[4] = 4
print(#t)
t[3] = 3
print(#t)
t[4] = nil
print(#t)
t[2] = nil
print(#t)
t[3] = nil
print(#t)
local t = {1, 2, 3, 4, 5, 6, 7, 8}
t[8] = nil t[7] = nil
print(#t)
t[3] = nil
print(#t)
t[8] = 8
print(#t)
local t = {}
for i = 1, 16 do t[i] = i end
for i = 16, 1, -1 do t[i] = nil io = io print(#t) end
local t = {}
for i = 1, 10 do t[i] = i end
for i = 1, 9 do t[i] = nil print(#t) end
local t = {1, 2, 3, nil, 5, nil}
print(#t)
local t = {1, 2, 3, nil, 5, nil, nil, 8}
print(#t)
local function f(...) return #{...} end
print(f(), f(nil), f(1, nil), f(nil, 1), f(1, nil, 3), f(1, nil, nil), f(nil, nil, 3))
local t = {f = 1, 10, 20, 30, nil}
print(#t)
local t = {10, 20, 30, nil, 40}
t[#t + 1] = 50
print(#t, t[5], t[6])
--- next while clearing
local t = {}
for i = 1, 50 do t["k" .. i] = i end
for i = 1, 20 do t[i] = i end
local n = 0
for k, v in pairs(t) do t[k] = nil n = n + 1 end
print(n, next(t))
local t = {a = 1, b = 2, c = 3}
for k, v in pairs(t) do t[k] = v * 2 end
print(t.a, t.b, t.c)
local t = {1, 2, 3, 4, 5}
for i, v in ipairs(t) do if v == 3 then t[4] = nil end print(i, v) end
local t = {x = 1}
print(next(t), next(t, "x"), next({}), rawequal(next({}), nil))
print(next({10, 20}), next({10, 20}, 1), next({10, 20}, 2))
print(next({10, nil, 30}, 1))
--- closures
local fs = {}
for i = 1, 3 do fs[i] = function() return i end end
print(fs[1](), fs[2](), fs[3]())
for i = 1, 3 do fs[i] = function() i = i + 1 return i end end
print(fs[1](), fs[1](), fs[2](), fs[3](), fs[1]())
local i = 1
while i <= 3 do local j = i fs[i] = function() j = j + 10 return j end i = i + 1 end
print(fs[1](), fs[1](), fs[2](), fs[3]())
local function counter() local n = 0 return function() n = n + 1 return n end, function() return n end end
local inc, get = counter()
local inc2, get2 = counter()
inc() inc() inc2()
print(get(), get2())
for k, v in pairs{a = 1} do fs[k] = function() v = v + 1 return k, v end end
print(fs.a()) print(fs.a())
local k = 0
repeat local x = k fs[k] = function() return x end k = k + 1 until x >= 2
print(fs[0](), fs[1](), fs[2]())
local function outer() local a = 1 local function mid() local function inner() a = a + 1 return a end return inner end return mid(), function() return a end end
local inner, get = outer()
inner() inner()
print(get())
local function rec(n) if n == 0 then return 0 end return 1 + rec(n - 1) end
print(rec(10))
local r = rec
rec = nil
print(pcall(r, 2))
local function fact(n) return n <= 1 and 1 or n * fact(n - 1) end
print(fact(20))
local a, b
function a(n) if n == 0 then return "a" end return b(n - 1) end
function b(n) if n == 0 then return "b" end return a(n - 1) end
print(a(5), a(6))
local x = 10
local function getx() return x end
x = 20
print(getx())
local p = 5
local function param(p) return function() p = p + 1 return p end end
local f = param(1)
print(f(), f(), p)
local function va(...) local a, b = ... return function() a = a + 1 return a, b end end
local f = va(1, 2)
print(f()) print(f())
--- varargs
local function f(...) return ... end
print(f(), (f()), f(1), f(1, 2), (f(1, 2)))
print(select("#", f()), select("#", f(nil)), select("#", f(nil, nil)), select("#", (f())))
local function g(...) local a, b, c = ... return a, b, c end
print(g()) print(g(1)) print(g(1, 2, 3, 4))
local function h(...) return select("#", ...), {...} end
print((h(1, nil, 3)))
local function k(a, ...) return a, select("#", ...), ... end
print(k()) print(k(1)) print(k(1, 2, 3))
print(f(1, f(2, 3), f(4, 5)))
local t = {f(1, 2), f(3, 4)}
print(#t, t[1], t[2], t[3])
local t = {f(1, 2), (f(3, 4))}
print(#t)
local t = {f(), f()}
print(#t)
local function old(...) return arg end
print(old(1, 2).n, old(1, 2)[2], old().n)
local function old2(a, ...) return arg.n, arg[1] end
print(old2(1, 2, 3))
local function old3(...) local x = ... return arg end
print(old3(1))

local function old4(...) arg = 5 return arg end
print(old4(1))
local function old5(...) return function() return arg.n end end
print(old5(1, 2, 3)())
local function tail(...) return f(...) end
print(tail(1, 2, 3))
print(select(2, "a", "b", "c")) print(select(-1, "a", "b", "c")) print(select(-3, "a", "b", "c")) print(select(4, "a", "b", "c"))
print(pcall(select, -4, "a", "b", "c")) print(pcall(select, 0, "a"))
print(unpack({1, 2, 3})) print(unpack({1, 2, 3}, 2)) print(unpack({1, 2, 3}, 2, 3)) print(unpack({1, 2, 3}, 0, 4)) print(unpack({}, 1, 3)) print(unpack({}, 3, 1))
print(select("#", unpack({}, 1, 100)))
print(pcall(unpack, {}, 1, 1e6)) print(pcall(unpack, {}, 1, 1e8))
print((select("#", unpack({}, 1, 7000))))
print(#{unpack({}, 1, 100)}, select("#", f(unpack({}, 1, 500))))
print(math.max(unpack({5, 3, 9, 1})))
--- numeric for
for i = 1, 3 do print(i) end
for i = 3, 1 do print(i) end
for i = 3, 1, -1 do print(i) end
for i = 1, 2, 0.5 do print(i) end
for i = 1, 0.5 do print(i) end
for i = 0.1, 1, 0.3 do print(i) end
for i = 1, 3 do local j = i i = 10 print(j, i) end
for i = 1, math.huge do if i > 3 then break end print(i) end
for i = -1, -3, -1 do print(i) end
for i = 1e15, 1e15 + 2 do print(i) end
for i = 1, 0, 0 do print("never") break end
for i = 1, 1, 0 do print("once") break end
for i = 0, 1, 0 do print("zero step") break end
for i = 0/0, 1 do print("nan") end
for i = 1, 0/0 do print("nan") end
for i = 1, 2, 0/0 do print("nan") end
for i = "1", "2", "1" do print(i + 0) end
local function lim() print("lim") return 2 end
for i = 1, lim() do print(i) end
for i = 1, 3 do for j = i, 3 do if j == 2 then break end print(i, j) end end
print((function() for i = 1, 10 do if i == 5 then return i end end end)())
local s = 0
for i = 0, 1, 0.1 do s = s + 1 end
print(s)
--- generic for
for k, v in next, {5} do print(k, v) end
for k, v in pairs{5, 6, x = 7} do print(k, v) end
for i, v in ipairs{5, 6, nil, 7} do print(i, v) end
local function iter(s, c) if c < s then return c + 1, c * c end end
for i, sq in iter, 3, 0 do print(i, sq) end
for a, b, c, d in function(s, c) if not c then return 1, 2, 3 end end do print(a, b, c, d) end
local function gen(n) local i = 0 return function() i = i + 1 if i <= n then return i end end end
for i in gen(3) do print(i) end
for i in gen(0) do print(i) end
for i in gen(5) do if i == 3 then break end print(i) end
for x in setmetatable({}, {__call = function(self, s, c) if not c then return "called" end end}) do print(x) end
for w in ("a b c"):gmatch("%a") do print(w) end
for k, v in pairs(setmetatable({1}, {__pairs = function() error("no") end})) do print(k, v) end
print(pcall(function() for x in nil do end end))
for false_ in function(s, c) if c == nil then return false end end do print(false_) break end
for k in pairs{a = 1} do k = "changed" print(k) end
for i, v in ipairs(setmetatable({}, {__index = function(t, i) if i < 4 then return i end end})) do print(i, v) end
--- while and repeat
local i = 0
while i < 3 do i = i + 1 if i == 2 then break end end
print(i)
while false do print("never") end
repeat i = i + 1 until i > 5
print(i)
repeat local x = i i = i + 1 until x == 8
print(i)
local n = 0
while true do n = n + 1 if n > 100 then break end end
print(n)
repeat if n > 50 then break end until false
print(n)
while n > 0 do while n > 50 do n = n - 1 end n = n - 10 end
print(n)
print((function() while true do return "out" end end)())
print((function() repeat return "out" until true end)())
--- logic
print(1 and 2, nil and 2, false and 2, 1 or 2, nil or 2, false or nil, nil or false)
print(not nil, not false, not 0, not "", not {}, not not nil)
print(1 == 1, 1 == "1", "a" == "a", nil == false, 0 == -0, 0/0 == 0/0, {} == {}, print == print)
print(1 ~= 1, 1 ~= "1", "a" ~= "b", nil ~= false)
print(1 < 2, "a" < "b", "a" < "B", "" < "a", "a" < "aa", "a\0b" < "a\0c", "Z" < "a", "10" < "9")
print(1 and nil or 3, false == nil, (nil and 1) == nil)
local a, b = nil, false
print(a and b, b and a, a or b, b or a, a == b)
local function t() print("t") return true end
local function f() print("f") return false end
print(t() and f()) print(f() and t()) print(t() or f()) print(f() or t())
if t() and t() or f() then print("yes") end
if not (f() or f()) then print("no") end
if nil then elseif false then elseif 0 then print("zero is true") else end
if f() then elseif f() then else print("else") end
print(2 < 3 == true, not 1 == 2, not (1 == 2), -2 ^ 2, 2 ^ 3 ^ 2, 2 ^ -1, -2 ^ -2, 1 .. 2 == "12", "a" .. "b" == "ab" and 1 or 2)
print(1 + 2 * 3 - 4 / 2, (1 + 2) * 3, 7 % 3 * 2, -7 % 3, 7 % -3, -7 % -3, 5.5 % 2, -5.5 % 2, 1e15 % 7, 5 % math.huge, -5 % math.huge)
print(2 * 3 % 4, 2 + 3 .. "", 1 .. 2 .. 3, #"abc" + 1, -#"abc", not #"abc", - - 2, not not 1)
print(1 / 0, -1 / 0, 0 / 0 ~= 0 / 0, 1 % 0 ~= 1 % 0, 0 % 1, -0, 1 / -0 , 1 / (0 * -1))
--- minus zero
print(-0) print(0) print(0, -0, 1 / 0)
local z = 0
print(-z, 1 / -z)
--- coercion
print("10" + 5, 5 + "10", "3" * "4", "2" ^ "3", "7" % "4", -"2", "0x10" + 0, " 5 " + 1, "1e2" + 0, "5" - 1, "10" / "4")
print(1 .. "", 1.5 .. "", -1 .. "", 1e100 .. "", 2^53 .. "", 0.1 .. "", 1/3 .. "", 1e15 .. "", 1e14 .. "", 123456789012345 .. "", (0/0 ~= 0/0) and "nan", 1/0 .. "", -1/0 .. "")
print(10 == "10", "10" == 10, 10 .. "" == "10", "abc" < "abd")
print(pcall(function() return 1 < "2" end))
print(pcall(function() return "a" + 1 end))
print(pcall(function() return "" + 1 end))
print(pcall(function() return " " + 1 end))
print(pcall(function() return "1 2" + 1 end))
print(pcall(function() return "0x" + 1 end))
print(pcall(function() return "1e" + 1 end))
print(tonumber("10"), tonumber("  10  "), tonumber("10a"), tonumber(""), tonumber(" "), tonumber("1e1"), tonumber("0x1p4"), tonumber("inf"), tonumber("nan"), tonumber("-"), tonumber("- 1"), tonumber("1 1"), tonumber("1\0"))
print(tonumber(nil), tonumber(true), tonumber({}), tonumber(print), tonumber(5), tonumber("5."), tonumber(".5"), tonumber("."), tonumber("5e+2"), tonumber("5e+"))
print(tonumber("10", 2), tonumber("ff", 16), tonumber("FF", 16), tonumber("zz", 36), tonumber("8", 8), tonumber("7", 8), tonumber("0xff", 16), tonumber("1.5", 10), tonumber("1.5", 2), tonumber("-10", 2), tonumber("+10", 2), tonumber(" 11 ", 2), tonumber("", 2), tonumber("1 1", 2), tonumber(10, 2), tonumber(12, 2))
print(pcall(tonumber, "1", 1)) print(pcall(tonumber, "1", 37)) print(pcall(tonumber)) print(pcall(tonumber, nil, 2)) print(pcall(tonumber, {}, 2))
print(tonumber("1e1", 16), tonumber("7fffffffffffffff", 16), tonumber("ffffffffffffffff", 16), tonumber("10000000000000000", 16), tonumber("-1", 16))
print(tostring(1), tostring(-0.5), tostring(1e300), tostring(true), tostring(nil), tostring("x"), tostring(12345678901234567890), tostring(2^63), tostring(1e-5), tostring(123.456))
--- goto is a name
local goto = 5
print(goto, goto + 1)
local t = {goto = 1}
print(t.goto, t["goto"])
function goto_() return goto end
print(goto_())
--- nested functions and methods
local Account = {}
Account.__index = Account
function Account.new(b) return setmetatable({balance = b}, Account) end
function Account:deposit(v) self.balance = self.balance + v return self end
function Account:get() return self.balance end
print(Account.new(10):deposit(5):deposit(7):get())
local Sub = setmetatable({}, {__index = Account})
Sub.__index = Sub
function Sub:get() return "sub" .. Account.get(self) end
local s = setmetatable({balance = 1}, Sub)
print(s:deposit(1):get())
local t = {a = {b = {}}}
function t.a.b.f(x) return x * 2 end
function t.a.b:g(x) return self == t.a.b, x end
print(t.a.b.f(4), t.a.b:g(5))
print(("abc"):upper(), ("x"):rep(3), #("abc"):rep(2), ("%d"):format(5))
local s = "hello"
print(s:sub(2, 3), s:len(), s.len, ("x").y)
print(#"abc", ("abc").len == nil)
--- tail calls
local function loop(n) if n == 0 then return "done" end return loop(n - 1) end
print(loop(200000))
local function even(n) if n == 0 then return true end return odd(n - 1) end
function odd(n) if n == 0 then return false end return even(n - 1) end
local function ev(n, a, b, c) if n == 0 then return a, b, c end return ev(n - 1, b, c, a) end
print(ev(100001, 1, 2, 3))
local t = setmetatable({}, {__call = function(self, n) if n == 0 then return "called" end return self(n - 1) end})
print(t(1000))
local o = {}
function o:m(n) if n == 0 then return self == o end return self:m(n - 1) end
print(o:m(100000))
local function v(n, ...) if n == 0 then return select("#", ...), ... end return v(n - 1, n, ...) end
print((v(100)))
local function tailpcall(n) if n == 0 then return "end" end return select(2, pcall(tailpcall, n - 1)) end
print(tailpcall(50))
print(pcall(function() return error("tail") end))
--- string escapes
print(("\65\066\t|\\|\"|\'|\n|\a"):byte(1, -1))
print([[a
b]], [==[x]]y]==], [[
first newline skipped]])
print("a\
b")
print("\0a\0" == "\0a\0", #"\0a\0", "a\0b" < "a\0c")
--- globals
x = 5
print(x, _G.x, _G["x"])
_G.y = 6
print(y)
_G._G.z = 7
print(z)
x = nil
print(x, rawget(_G, "x"))
print(_VERSION, type(_G), _G._G == _G)
function gf() return "gf" end
print(gf(), _G.gf == gf)
setmetatable(_G, {__index = function(t, k) return "missing " .. k end})
print(nothere)
setmetatable(_G, {__newindex = function(t, k, v) rawset(t, k, v and v * 2) end})
newone = 21
print(newone)
setmetatable(_G, nil)
--- many locals and constants
local src = {}
for i = 1, 180 do src[#src + 1] = "local v" .. i .. " = " .. i end
src[#src + 1] = "return v1 + v90 + v180"
print(loadstring(table.concat(src, "\n"))())
local src = {"local t = {"}
for i = 1, 1000 do src[#src + 1] = "'k" .. i .. "'," end
src[#src + 1] = "} return #t, t[1000]"
print(loadstring(table.concat(src))())
local src = {"local t = {"}
for i = 1, 300 do src[#src + 1] = "k" .. i .. " = " .. i .. "," end
src[#src + 1] = "} local n = 0 for k, v in pairs(t) do n = n + v end return n, t.k300"
print(loadstring(table.concat(src))())
print(#{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55})
local t = {[1] = "a", "b", [2] = "c", "d"}
print(t[1], t[2])
local t = {"x", [1] = "y"}
print(t[1])
--- load
print(loadstring("return 1 + 1")())
print(loadstring("return ...")(5, 6))
print(loadstring("x = ")) print(loadstring("")) 
print(pcall(loadstring)) print(pcall(loadstring, {}))
local n = 0
print(load(function() n = n + 1 return ({"return ", "4", "2", nil})[n] end)())
local n = 0
print(load(function() n = n + 1 return ({"return 1", "", "+ 1"})[n] end)())
print(load(function() return {} end))
print(pcall(load, function() error("reader") end))
print(load(function() return nil end))
print(load(function() return nil end, "=name"))
local n = 0
print(load(function() n = n + 1 return ({"x ="})[n] end, "=name"))
local n = 0
print(load(function() n = n + 1 return ({"x ="})[n] end))
local f = loadstring("local a = ... ; return a, select('#', ...)")
print(f()) print(f(1, 2))
print(loadstring(5))
print(#loadstring("return '" .. ("x"):rep(1000) .. "'")())
print(loadstring("\27LuaLuaLuaLuaLua"))
print(loadstring("\27LuaLuaLuaLuaLua", "=n"))
--- environments
local function f() return x end
x = "global"
print(f())
setfenv(f, {x = "env"})
print(f())
print(getfenv(f).x, getfenv(1) == _G, getfenv(0) == _G, getfenv() == _G, getfenv(tostring) == _G)
local function g() setfenv(1, {print = print, x = "inner"}) print(x) end
g()
print(x)
local function h() local function k() return x end return k end
setfenv(h, {x = "h"})
print(h()())
local c = loadstring("y = 5 return y")
local env = {}
setfenv(c, env)
print(c(), env.y, y)
print(pcall(setfenv, tostring, {})) print(pcall(setfenv, 1)) print(pcall(setfenv, {}, {})) print(pcall(getfenv, -1)) print(pcall(getfenv, 100)) print(pcall(setfenv, 100, {}))
print(pcall(getfenv, "x")) print(pcall(getfenv, {})) print(pcall(setfenv, f, nil))
local function caller() return getfenv(2) == _G end
print((caller()))
local function lvl() setfenv(2, setmetatable({tag = "changed"}, {__index = _G})) end
local function victim() lvl() return tag end
print(victim())
x = nil
--- newproxy
local p = newproxy()
print(type(p), getmetatable(p))
local q = newproxy(true)
print(type(q), type(getmetatable(q)))
getmetatable(q).__index = function(t, k) return k .. "!" end
getmetatable(q).__len = function() return 42 end
getmetatable(q).__call = function(self, a) return a end
getmetatable(q).__eq = function() return true end
getmetatable(q).__lt = function() return true end
print(q.foo, #q, q(7), q < q)
local r = newproxy(q)
print(r.bar, r == q, getmetatable(r) == getmetatable(q), q == 1)
print(pcall(newproxy, 5)) print(pcall(newproxy, {})) print(pcall(newproxy, p)) print(type(newproxy(false)), type(newproxy(nil)))
print(pcall(function() return p.x end))
print(pcall(function() p.x = 1 end))
print(pcall(function() return p + 1 end))
print(pcall(function() return p < p end))
print(pcall(function() return #p end))
--- collectgarbage
print(type(collectgarbage("count")), collectgarbage(), collectgarbage("collect"), collectgarbage("stop"), collectgarbage("restart"), type(collectgarbage("step")), type(gcinfo()))
print(pcall(collectgarbage, "nope")) print(pcall(collectgarbage, {}))
