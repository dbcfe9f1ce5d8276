--- symbols
for _, s in ipairs{"x", "x =", "= 1", "x = = 1", "x y", "x y z", "1", "1 = 1", "'a'", "'a' = 1", "x.y", "x[1]", "x:y", "x:y =", "f()=1", "f() g()", "f().x = 1",
  "(x) = 1", "(x).y = 1 x = ", "(f())", "(f()) = 1", "x, y", "x, = 1", "x, 1 = 1", "x, f() = 1", "x, y = ", "x = y z", "x = y = z", "local", "local 1", "local x =", "local x y",
  "local x,", "local x, = 1", "local x.y = 1", "local function", "local function 1", "local function f", "local function f(", "local function f()", "local function f.x() end",
  "function", "function f", "function f(", "function f()", "function f(1)", "function f(a b)", "function f(a,)", "function f(...", "function f(..., a)", "function f(a, ...) end", "function 1()",
  "function f.1() end", "function f:x:y() end", "function f:x.y() end", "function f[1]() end", "function () end", "f = function x() end", "f = function", "f = function(", "f = function()",
  "if", "if x", "if x then", "if x then else", "if x then elseif", "if x then elseif y", "if x then else elseif", "if x then else else", "if then", "if x do", "else", "elseif", "end", "until", "then", "do",
  "while", "while x", "while x do", "while do", "while x then", "repeat", "repeat until", "repeat x", "repeat end", "for", "for x", "for x =", "for x = 1", "for x = 1,", "for x = 1, 2", "for x = 1, 2 do", "for x = 1, 2, 3, 4 do",
  "for x in", "for x in y", "for x in y do", "for x, y", "for x, in", "for 1 = 1, 2", "for x.y = 1, 2", "for x, y = 1, 2 do end", "for in", "for x of y do", "return return", "return 1 2", "return 1, ", "return x = 1",
  "return; x", "return 1; x = 1", "return;;", "break", "break x", "do break end", "while x do break x end", "while x do break; x = 1 end", "for i = 1, 2 do function f() break end end", "repeat break until x",
  "x = {", "x = {1", "x = {1,", "x = {,}", "x = {1 2}", "x = {a = }", "x = {a = 1 b = 2}", "x = {[1]}", "x = {[1 = 2}", "x = {[] = 2}", "x = {;}", "x = {1;2,3}", "x = {1;;2}", "x = {a.b = 1}", "x = {f() = 1}", "x = {...}",
  "x = ...", "function f() return ... end", "function f() local g = function(...) end return ... end", "f(", "f(1", "f(1,", "f(1 2)", "f(,)", "f)", "f(()", "f(1))", "x = (", "x = ()", "x = (1", "x = (1,2)", "x = 1 +", "x = + 1", "x = 1 + + 1", "x = 1 * * 1",
  "x = not", "x = -", "x = #", "x = a..", "x = a.", "x = a:", "x = a:b", "x = a:b.c", "x = a[", "x = a[]", "x = a[1", "x = a[1,2]", "x = 1 .. ", "x = and 1", "x = 1 and", "x = or", "x = a not b", "x = a ~ b", "x = ~a", "x = a != b", "x = a & b", "x = !a", "x = a ? b : c",
  "x = $", "@", "x = `", "\\", "x = 1; ; y = 2", ";", "; x = 1", "x = 1;", "goto = 1", "goto x", "::x::", "local goto = 5 return goto", "x = nil.y", "x = nil()", "nil = 1", "true = 1", "x = true.y", "and = 1", "local and = 1", "x.and = 1", "x = {and = 1}", "x:and()",
  "x = 'abc'.len", "x = 'abc':len()", "x = {}.y", "x = {}:y()", "x = function() end.y", "x = function() end()", "('x'):len()", "x = ('x'):len().y", "f'x'", "f'x''y'", "f{}", "f{}{}", "f{}'x'()", "x.y'z'", "x:y'z'", "x:y{}", "x = f 'y' 'z'", "f\n(1)", "f\n{}", "f\n'x'", "x = f\n(1)", "local x = f\n(1)", "x = 1\n(2)()"} do
  local f, e = loadstring(s, "=t")
  print(s, f and "ok" or e)
end
--- nearest
for _, s in ipairs{"x = 1 2", "x = 1 'a'", "x = 1 'a\\nb'", "x = 1 [[a]]", "x = 1 nil", "x = 1 1.5e3", "x = 1 0x1F", "x = 1 ...", "x = 1 ::", "x = 1 ~=", "x = )", "x = 1 \1", "x = 1 \127", "x = 1 \200", "x = \0", "x = 1 'a\\0b'", "x y 'z'", "x = {a b}", "x = {a 'b'}", "x = {a =} 'b'", "if x then 'y'", "f('a' 'b')", "x = [[\nabc]] y"} do
  local f, e = loadstring(s, "=t")
  print(f and "ok" or e)
end
--- strings
for _, s in ipairs{"'", "'abc", "\"abc", "'abc\ndef'", "'abc\\\ndef'", "'abc\\", "'\\x'", "'\\q'", "'\\\\'", "'\\''", "'\\65'", "'\\065'", "'\\0659'", "'\\256'", "'\\300'", "'\\999'", "'abc\\256def'", "'a\\zb'", "'\\u{41}'", "'\\x41'", "[[", "[[abc", "[[abc]", "[=[abc]]", "[=[abc]=]", "[==[a]=]b]==]", "[=", "[=x", "[==", "[[a\nb]]", "[[\na]]", "[[\n\na]]", "[[\r\na\r\nb]]", "[[a]]]", "[=[a]]=]", "[[a[b]c]]", "[=[a[[b]=]", "[=[a[=[b]=]", "'\\a\\b\\f\\n\\r\\t\\v'", "'\t'", "'\\\r\n'", "'a\\\r\nb'", "'\0'", "'\\0'", "'\\00'", "'\\0001'"} do
  local f, e = loadstring("return " .. s, "=t")
  if f then
    local v = f()
    print("ok", (tostring(v):gsub("[%c\127-\255]", function(c) return "<" .. c:byte() .. ">" end)))
  else
    print((e:gsub("[%c\127-\255]", function(c) return "<" .. c:byte() .. ">" end)))
  end
end
--- comments
for _, s in ipairs{"--", "-- x", "--x\nreturn 1", "--[[x]] return 1", "--[[x", "--[[x\n", "--[=[x]]", "--[=[x]=] return 2", "--[=x\nreturn 3", "--[\nreturn 4", "--[[\n]]return 5", "--[==[a[[b]==] return 6", "return 7 --", "return 8 --[[]]", "- - 1", "#!shebang\nreturn 1", "--[[]]--[[]]return 9", "return--[[x]]10"} do
  local f, e = loadstring(s, "=t")
  print(f and f() or e)
end
--- numbers
for _, s in ipairs{"0", "1", "1.", ".1", "1.5", "1e5", "1E5", "1e+5", "1e-5", "1e", "1e+", "1.e5", ".e5", "1..2", "1...2", "0x10", "0X10", "0xff", "0xFF", "0x", "0xg", "0x1p4", "0x.8", "0x1.8", "0xffffffffff", "0xffffffffffffffff", "0x10000000000000000", "1e400", "1e-400", "1a", "1_", "1__0", "0b1", "08", "1.2.3", "1e5e5", "1e5.5", "3x", "3 x", "12345678901234567890", "1e308", "1.7976931348623157e308", "4.9e-324", "0.1", "1e15", "1e16", "123456789012345", "1.5e300*1e10", "1f", "1L", "1u", "0x1L", "inf", "nan", "0xep1", "5e-1", "0e0", "00", "0.0", "-0", "- 0", "0x-1", "1-1", "1--1\n", "1 .. 2", "1..'a'"} do
  local f, e = loadstring("return " .. s, "=t")
  if f then print(s, f()) else print(s, e) end
end
--- match
print(loadstring("if x then\n\n\n", "=t"))
print(loadstring("if x then\nfor i = 1, 2 do\n\n", "=t"))
print(loadstring("while x do\n\nend end", "=t"))
print(loadstring("repeat\n\n", "=t"))
print(loadstring("do\nx = (1\n\n", "=t"))
print(loadstring("f(\n1\n", "=t"))
print(loadstring("f(\n1\n2", "=t"))
print(loadstring("x = {\n1\n2", "=t"))
print(loadstring("x = {\n1,\n", "=t"))
print(loadstring("x = a[\n1\n2", "=t"))
print(loadstring("function f()\n\n", "=t"))
print(loadstring("function f()\nif x then\n end\n", "=t"))
print(loadstring("local function f()\n\n", "=t"))
print(loadstring("x = function()\n\n", "=t"))
print(loadstring("x = 'a\n", "=t"))
print(loadstring("\n\n\nx = = 1", "=t"))
print(loadstring("x = 1\n\n\n'y'", "=t"))
print(loadstring("x = 1 -- c\n -- d\n )", "=t"))
print(loadstring("x = [[\n\n\n]] )", "=t"))
print(loadstring("x = 1\r\ny = 2\r\n)", "=t"))
print(loadstring("x = 1\ry = 2\r)", "=t"))
print(loadstring("x = 1\n\ry = 2\n\r)", "=t"))
--- chunk names
for _, n in ipairs{"=name", "@name", "name", "=", "@", "", "two\nlines", "\nx", "x\r", "=" .. ("x"):rep(100), "@" .. ("x"):rep(100), ("x"):rep(100), ("x"):rep(43), ("x"):rep(44), ("x"):rep(42) .. "\n", "@" .. ("y"):rep(52), "@" .. ("y"):rep(53), "=" .. ("z"):rep(59), "=" .. ("z"):rep(60), "a b", "=a=b", "@a@b"} do
  print(loadstring("x =", n))
end
print(loadstring("x ="))
print(loadstring("x =\ny"))
print(pcall(loadstring("error('e')")))
print(pcall(loadstring("error('e')", "=n")))
print(pcall(loadstring("error('e')", "@n")))
print(pcall(loadstring("\n\nerror('e') -- a long comment behind that does not fit")))
--- limits
local function repeated(s, n, sep) local t = {} for i = 1, n do t[i] = s:gsub("#", i) end return table.concat(t, sep) end
local function short(f, e) if f then print("ok") else print((e:gsub("near '.*", "near ..."))) end end
short(loadstring("local " .. repeated("a#", 200, ","), "=t"))
short(loadstring("local " .. repeated("a#", 201, ","), "=t"))
short(loadstring(repeated("local a#", 200, "\n"), "=t"))
short(loadstring(repeated("local a#", 201, "\n"), "=t"))
short(loadstring("local function f()\n" .. repeated("local a#", 201, "\n") .. "\nend", "=t"))
short(loadstring(repeated("local a#", 198, "\n") .. "\nfor i = 1, 2 do end", "=t"))
short(loadstring(repeated("local a#", 196, "\n") .. "\nfor i = 1, 2 do end", "=t"))
short(loadstring(repeated("local a#", 197, "\n") .. "\nfor i = 1, 2 do end", "=t"))
short(loadstring(repeated("local a#", 196, "\n") .. "\nfor k, v in x do end", "=t"))
short(loadstring(repeated("local a#", 195, "\n") .. "\nfor k, v in x do end", "=t"))
short(loadstring("function f(" .. repeated("a#", 200, ",") .. ") end", "=t"))
short(loadstring("function f(" .. repeated("a#", 201, ",") .. ") end", "=t"))
short(loadstring("function f:m(" .. repeated("a#", 200, ",") .. ") end", "=t"))
short(loadstring("do " .. repeated("local a#", 150, "\n") .. " end do " .. repeated("local a#", 150, "\n") .. " end", "=t"))
short(loadstring(repeated("local a#", 60, "\n") .. "\nfunction f() return " .. repeated("a#", 60, "+") .. " end", "=t"))
short(loadstring(repeated("local a#", 61, "\n") .. "\nfunction f() return " .. repeated("a#", 61, "+") .. " end", "=t"))
short(loadstring(repeated("local a#", 61, "\n") .. "\nfunction f() return function() return " .. repeated("a#", 61, "+") .. " end end", "=t"))
short(loadstring("return " .. ("("):rep(190) .. "1" .. (")"):rep(190), "=t"))
short(loadstring("return " .. ("("):rep(196) .. "1" .. (")"):rep(196), "=t"))
short(loadstring("return " .. ("("):rep(250) .. "1" .. (")"):rep(250), "=t"))
short(loadstring("return " .. ("-"):rep(3) .. "1", "=t"))
short(loadstring("return " .. ("- "):rep(250) .. "1", "=t"))
short(loadstring("return " .. ("not "):rep(250) .. "1", "=t"))
short(loadstring("return " .. ("{"):rep(250) .. "1" .. ("}"):rep(250), "=t"))
short(loadstring("return 1" .. (" .. 1"):rep(250), "=t"))
short(loadstring("return 1" .. (" ^ 1"):rep(250), "=t"))
short(loadstring("return 1" .. (" + 1"):rep(5000), "=t"))
short(loadstring("return x" .. (" + x"):rep(5000), "=t"))
short(loadstring("return x" .. (" and x"):rep(5000), "=t"))
short(loadstring("return x" .. (".x"):rep(5000), "=t"))
short(loadstring("return x" .. ("()"):rep(5000), "=t"))
short(loadstring(("do "):rep(190) .. (" end"):rep(190), "=t"))
short(loadstring(("do "):rep(250) .. (" end"):rep(250), "=t"))
short(loadstring(("if x then "):rep(250) .. (" end"):rep(250), "=t"))
short(loadstring(("while x do "):rep(250) .. (" end"):rep(250), "=t"))
short(loadstring(("for i = 1, 2 do "):rep(60) .. (" end"):rep(60), "=t"))
short(loadstring(("function f() "):rep(250) .. (" end"):rep(250), "=t"))
short(loadstring(("repeat "):rep(250) .. (" until x"):rep(250), "=t"))
short(loadstring("if x then " .. ("elseif x then "):rep(1000) .. "end", "=t"))
short(loadstring(repeated("a#", 150, ",") .. " = 1", "=t"))
short(loadstring(repeated("a#", 250, ",") .. " = 1", "=t"))
short(loadstring("return f(" .. repeated("#", 200, ",") .. ")", "=t"))
short(loadstring("return {" .. repeated("#", 1000, ",") .. "}", "=t"))
--- levels exact
local low = {}
for name, make in pairs{
  paren = function(n) return "return " .. ("("):rep(n) .. "1" .. (")"):rep(n) end,
  block = function(n) return ("do "):rep(n) .. (" end"):rep(n) end,
  minus = function(n) return "return " .. ("- "):rep(n) .. "x" end,
  concat = function(n) return "return 1" .. (" .. 1"):rep(n) end,
  targets = function(n) return "a" .. (",a"):rep(n) .. " = 1" end,
} do
  local n = 150
  while loadstring(make(n)) do n = n + 1 end
  low[#low + 1] = name .. " " .. n
end
table.sort(low)
print(table.concat(low, ", "))
--- words
local words = "and break do else elseif end false for function if in local nil not or repeat return then true until while goto continue switch class"
for w in words:gmatch("%a+") do
  print(w, loadstring("local " .. w, "=t") and "name" or select(2, loadstring("local " .. w, "=t")))
end
