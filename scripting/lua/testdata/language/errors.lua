--- index names
try [[local a; return a.b]]
try [[local a; return a[1] ]]
try [[return a.b]]
try [[return a.b.c]]
try [[a = {}; return a.b.c]]
try [[a = {}; return a.b.c.d]]
try [[local a = {}; return a[1].c]]
try [[local a = {}; local i = "x"; return a[i].c]]
try [[local a = {}; return a["x y"].c]]
try [[local a = {}; return a.b:c()]]
try [[local a = {}; return a:c()]]
try [[local a; a:c()]]
try [[local a = {}; a.b.c = 1]]
try [[a.b = 1]]
try [[local a; a.b = 1]]
try [[local a; a[1] = 1]]
try [[local a; local function f() return a.x end f()]]
try [[local a; local function f() a.x = 1 end f()]]
try [[local a; local function f() a = a; return a.x end f()]]
try [[return ("x").y.z]]
try [[return (nil).x]]
try [[return (1).x]]
try [[return (true)[1] ]]
try [[local t = {} t.x.y.z = 1]]
try [[return (a or b).x]]
try [[return (a and b).x]]
try [[return (not a).x]]
try [[local function f() end return f().x]]
try [[local function f() end f().x = 1]]
try [[return #a.b]]
try [[return math.foo.bar]]
try [[return math.sin.x]]
try [[local m = math return m.foo.bar]]
--- call names
try [[f()]]
try [[local f; f()]]
try [[local f = {}; f()]]
try [[local f = {}; f.x()]]
try [[local f = {}; f.x.y()]]
try [[local f = {}; f[1]()]]
try [[local f = {}; f:x()]]
try [[local f; local function g() f() end g()]]
try [[local f; local function g() f = f; f() end g()]]
try [[("x")()]]
try [[(1)()]]
try [[(nil)()]]
try [[(f or g)()]]
try [[local function f() end f()()]]
try [[math.foo()]]
try [[string.foo("x")]]
try [[("x"):foo()]]
try [[local s = "x"; s:foo()]]
try [[return f()]]
try [[local f; return f()]]
try [[local t = {} return t.x()]]
try [[local t = {} return t:x()]]
try [[return f(1, 2, 3)]]
try [[local x = 5; x(1)]]
try [[local x = 5; x(...)]]
try [[print(f())]]
try [[pcall(nil)]]
print(pcall(nil))
print(pcall(1))
print(pcall({}))
print(pcall("x"))
print(pcall())
--- arithmetic names
for _, op in ipairs{"+", "-", "*", "/", "%", "^"} do
  try("local a; return a " .. op .. " 1")
  try("local a; return 1 " .. op .. " a")
  try("return a " .. op .. " 1")
  try("return 1 " .. op .. " a")
  try("local t = {} return t.x " .. op .. " 1")
  try("local t = {} return 1 " .. op .. " t.x")
  try("local t = {} return t[1] " .. op .. " 1")
  try("local t = {} return t " .. op .. " t.x")
  try("local t = {} local function f() return t " .. op .. " 1 end f()")
  try("return {} " .. op .. " 1")
  try("return 'a' " .. op .. " 1")
  try("return 1 " .. op .. " 'a'")
  try("local s = 'a' return s " .. op .. " 1")
  try("local s = 'a' return s " .. op .. " s")
  try("local a, b = 'x', {} return a " .. op .. " b")
  try("local a, b = 1, 'y' return a " .. op .. " b")
  try("return nil " .. op .. " 1")
  try("return true " .. op .. " 1")
  try("return print " .. op .. " 1")
  try("local function f() end return f() " .. op .. " 1")
  try("local function f() end return 1 " .. op .. " f()")
  try("return (a or b) " .. op .. " 1")
  try("a.b.c = 1 " .. op .. " 2")
end
try "return -nil"
try "return -{}"
try "local a return -a"
try "return -a"
try "local t = {} return -t.x"
try "return -'x'"
try "return -'2'"
try "return - -'2'"
try "local s='abc' return -s"
--- concat names
try [[local a; return a .. "x"]]
try [[local a; return "x" .. a]]
try [[return a .. "x"]]
try [[return "x" .. a]]
try [[return "x" .. a .. "y"]]
try [[local t = {} return "x" .. t.y .. "z"]]
try [[local t = {} return t .. "z"]]
try [[local t = {} return "a" .. "b" .. t]]
try [[local t = {} return 1 .. t]]
try [[local t = {} return t .. t]]
try [[return {} .. {}]]
try [[return nil .. "x"]]
try [[return "x" .. nil]]
try [[return true .. "x"]]
try [[return 1 .. true]]
try [[return ("x" .. 1) .. nil]]
try [[local a, b = 1, nil return a .. b .. "c"]]
try [[local a, b = nil, nil return a .. b]]
try [[local a, b, c = "x", {}, nil return a .. b .. c]]
try [[return 1 .. (x or y) .. 2]]
try [[return print .. ""]]
try [[local function f() return a .. "" end f()]]
try [[local a local function f() return "" .. a end f()]]
--- comparison
local values = {"nil", "true", "1", "'a'", "{}", "print", "coroutine.create(function() end)"}
for _, a in ipairs(values) do
  for _, b in ipairs(values) do
    for _, op in ipairs{"<", "<=", ">", ">="} do
      try("return " .. a .. op .. b)
    end
  end
end
--- length
for _, v in ipairs{"nil", "true", "1", "'abc'", "{1,2}", "print", "''", "x", "x.y"} do
  try("return #" .. v)
end
try "local a return #a"
try "local a = {} return #a.b"
try "local a = 5 local function f() return #a end f()"
--- for loops
try [[for i = "a", 1 do end]]
try [[for i = 1, "a" do end]]
try [[for i = 1, 2, "a" do end]]
try [[for i = {}, 1 do end]]
try [[for i = 1, {} do end]]
try [[for i = 1, 2, {} do end]]
try [[for i = nil, 1 do end]]
try [[for i = 1, nil do end]]
try [[for i = "1", "3" do print(i, type(i)) end]]
try [[for i = 1, 2, nil do end]]
try [[for i = 1, x do end]]
try [[for i in 5 do end]]
try [[for i in nil do end]]
try [[for i in x do end]]
try [[for i in {} do end]]
try [[for i in pairs() do end]]
try [[for i in pairs(nil) do end]]
try [[for i in ipairs() do end]]
try [[for i in ipairs(5) do end]]
try [[for i in next, 5 do end]]
try [[for i in next, {}, "zz" do end]]
--- table index
try [[local t = {} t[nil] = 1]]
try [[local t = {} t[0/0] = 1]]
try [[local t = {} print(t[nil], t[0/0])]]
try [[local t = {[nil] = 1}]]
try [[local t = {[0/0] = 1}]]
try [[rawset({}, nil, 1)]]
try [[rawset({}, 0/0, 1)]]
try [[next({}, 1)]]
try [[next({}, "a")]]
try [[next({1,2}, 3)]]
try [[next({1,2}, 2)]]
--- levels
try [[error("x")]]
try [[error("x", 0)]]
try [[error("x", 1)]]
try [[error("x", 2)]]
try [[error("x", 3)]]
try [[error("x", 100)]]
try [[error("x", -1)]]
try [[local function f() error("x") end f()]]
try [[local function f() error("x", 1) end
f()]]
try [[local function f() error("x", 2) end
f()]]
try [[local function f() error("x", 3) end
local function g()
f() end
g()]]
try [[local function f() error("x", 2) end
local function g() return f() end
g()]]
try [[local function f() error("x", 3) end
local function g() return f() end
g()]]
try [[local function f() error("x", 4) end
local function g() return f() end
local function h() return g() end
local function i()
h() end
i()]]
try [[local function f() error("x", 1) end
return f()]]
try [[local function f() error("x", 2) end
return f()]]
--- error values
for _, v in ipairs{"nil", "true", "false", "5", "5.5", "{}", "print", "'s'"} do
  local ok, e = pcall(loadstring("error(" .. v .. ")"))
  print(ok, type(e), type(e) == "string" and e or "")
  local ok, e = pcall(loadstring("error(" .. v .. ", 0)"))
  print(ok, type(e), type(e) == "string" and e or "")
end
print(pcall(error))
print(pcall(error, nil))
print(pcall(error, "x"))
print(pcall(error, "x", 1))
print(pcall(error, "x", 2))
local t = {}
print(select(2, pcall(error, t)) == t)
print(select("#", pcall(error)))
print(pcall(function() error() end))
print(pcall(function() error(nil, 2) end))
print(pcall(function() local x = setmetatable({}, {__tostring = function() return "me" end}) error(x) end))
--- assert
try(assert)
try(assert, nil)
try(assert, false)
try(assert, nil, "msg")
try(assert, false, "msg")
try(assert, false, 5)
try(assert, false, {})
try(assert, false, nil)
try(assert, 1, 2, 3)
try(assert, true)
try(assert, "x", nil)
try [[assert(false)]]
try [[assert(nil, "hello")]]
try [[assert(1 == 2, "hello")]]
try [[return assert(1, 2)]]
--- arguments
for _, name in ipairs{"assert", "collectgarbage", "error", "getmetatable", "ipairs", "loadstring", "load", "next",
  "pairs", "pcall", "rawequal", "rawget", "rawset", "select", "setmetatable", "tonumber", "tostring", "type", "unpack", "xpcall"} do
  for _, args in ipairs{"", "nil", "true", "1", "-1", "'a'", "{}", "print", "nil,nil", "1,2", "{},1", "{},{}", "{},nil", "print,print", "'a','b'", "{},1,2"} do
    if not (name == "collectgarbage") and not (name == "load" and args:find("print")) and not (name == "loadstring") then
      local f = loadstring("return " .. name .. "(" .. args .. ")", "=t")
      local r = {pcall(f)}
      for i = 1, 5 do
        if type(r[i]) == "table" or type(r[i]) == "function" then r[i] = type(r[i]) end
      end
      print(name, args, tostring(r[1]), tostring(r[2]), tostring(r[3]), tostring(r[4]))
    end
  end
end
--- argument names
try [[string.rep()]]
try [[("x"):rep({})]]
try [[("x").rep()]]
try [[("x"):rep()]]
try [[local s = string; s.rep()]]
try [[local r = string.rep; r()]]
try [[return string.rep()]]
try [[local r = string.rep; local function f() r() end f()]]
try [[local r = string.rep; local function f() r = r r() end f()]]
try [[for i in string.rep do end]]
try [[local t = {string.rep} t[1]()]]
try [[local t = {x = string.rep} t.x()]]
try [[local t = {x = string.rep} t:x()]]
try [[local t = {x = string.rep} t.x:y()]]
try [[(string.rep)()]]
try [[(string.rep or 1)()]]
try [[pcall(string.rep) error(select(2, pcall(string.rep)))]]
try [[local t = setmetatable({}, {__index = string.rep}) return t.foo]]
try [[local t = setmetatable({}, {__call = string.rep}) t()]]
try [[local t = setmetatable({}, {__add = string.rep}) return t + 1]]
try(string.rep)
try(string.rep, {})
try [[local t = {} t.a = {} t.a.b = setmetatable t.a.b(1)]]
try [[string.char(256)]]
try [[string.char(1, 2, -1)]]
try [[("x"):char()]]
try [[local x = ("x"):byte({})]]
try [[io.write({})]]
try [[tostring()]]
try [[local tostring = tostring tostring()]]
--- stack overflow
local function f() return 1 + f() end
try(f)
local function g(n) if n == 0 then return 0 end return 1 + g(n - 1) end
print(g(15000))
local t = setmetatable({}, {})
getmetatable(t).__index = function(t, k) return t[k + 1] end
local ok, e = pcall(function() return t[1] end)
print(ok, e)
getmetatable(t).__index = t
try(function() return t.x end)
local function deep(n) return n == 0 and 1 or deep(n - 1) end
print(deep(100000))
local function p() return pcall(p) end
local depth = 0
local function p() depth = depth + 1; local ok, e = pcall(p) return e end
print(p())
local ok, e = pcall(string.gsub, ("x"):rep(10), "x", function() error("in gsub") end)
print(ok, e)
local function s(a) return (string.gsub(a, ".", s)) end
print(pcall(s, "x"))
print(pcall(function() table.sort({1, 2, 3}, function() error({}) end) end))
--- lines
try [[local x = 1
local y = 2
local z = nil + 1]]
try [[local t = {}
local x = t.a
  .b]]
try [[local t = {}
t.a = 1
t.b.c = 2]]
try [[local x = f(
1,
2
)]]
try [[local x = f
(1)]]
try [[local x =
1 +
nil +
2]]
try [[local x =
nil
+ 1]]
try [[local t = {
1,
nil + 1,
2}]]
try [[local t = {
x = 1,
y = nil + 1,
}]]
try [[local t = {
x = a.b,
}]]
try [[local t = {
a.b.c
,1}]]
try [[for i = 1,
2,
x
do
end]]
try [[for i in
x
do
end]]
try [[if x.y
then
end]]
try [[while
nil < 1
do
end]]
try [[repeat local a = 1
until
a < nil]]
try [[local a
a
.b
.c
= 1]]
try [[local function f()

error("x")

end

f()]]
try [[return (
nil
)()]]
try [[print(
nil .. "x"
)]]
try [[local s = "a" ..
"b" ..
nil ..
"c"]]
try [[x = {}
x
:
foo
(
)]]
try [[x = {}
x:foo(
1
)]]
try [[function a.b.c()
end]]
try [[function a()
end
function a.b()
end]]
try [[local a = {}
function a.b.c()

end]]
try [[return -
{}]]
try [[return not
nil ..
1]]
--- xpcall
print(xpcall(function() error("x", 0) end, function(e) return e .. "!" end))
print(xpcall(function() error("x") end, function(e) return e .. "!" end))
print(xpcall(function() return 1, 2, 3 end, print))
print(xpcall(function() local x = nil; x() end, function(e) return "H:" .. e end))
print(xpcall(function() error({}) end, type))
print(xpcall(function() error("a") end, function(e) error("b") end))
print(pcall(xpcall))
print(pcall(xpcall, print))
print(xpcall(nil, print))
print(xpcall(print, nil))
print(xpcall(function() error() end, function(...) return select("#", ...), ... end))
print(xpcall(function(...) return select("#", ...) end, print, 1, 2))
--- names behind conditions that end with a constant
gf = function() end
for _, e in ipairs{
	"(((gx ~= nil) and false or nil) or gf) .. 'x'", "((gx and false or nil) or gx)()", "((gx and nil or false) or gf) + 1",
	"((gx or nil) or gf) .. 'x'", "(((gx or true) and 1) and gf) .. 'x'", "(not ((gx and false) or nil) and gf) .. 'x'",
	"(not (gx and gx or 1) or gf).x", "((gx == nil and (gx and false or nil)) or gf) .. 'x'", "((gx and 1 or nil) or gf) .. 'x'",
} do
	print(e, pcall(loadstring("return " .. e)))
end
