package lua_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// programmer writes random programs that end: loops are short, recursion counts down, strings are
// truncated. Most expressions have the type that their place needs. Some have another one, so that
// errors are compared too.
type programmer struct {
	rng    *rand.Rand
	b      strings.Builder
	indent int
	depth  int
	locals []local
	loops  int
	fns    int  // functions around the statement
	vararg bool // the innermost one has "..."
	budget int  // statements left
	names  int
}

type local struct {
	name string
	kind kind
}

type kind int

const (
	kindNumber kind = iota
	kindString
	kindBool
	kindTable
	kindFunction
	kindAny
	kinds
)

// prelude begins every program. Its functions truncate, print and iterate over values.
const prelude = `local function K(v) if type(v) == "string" and #v > 60 then return v:sub(1, 60) end return v end
local function S(v, d)
  d = d or 0
  v = K(v)
  if type(v) == "string" then return (("%q"):format(v):gsub("[%c\127-\255]", function(c) return "\\" .. c:byte() end)) end
  if type(v) ~= "table" then return (tostring(v):gsub("0x%x+", "")) end
  if d > 2 then return "{..}" end
  local r, n = {}, 0
  for k, x in pairs(v) do n = n + 1 if n > 12 then r[n] = "..." break end r[n] = S(k, d + 1) .. "=" .. S(x, d + 1) end
  return "{" .. table.concat(r, ",") .. "#" .. #v .. "}"
end
local function P(...) local r = {} for i = 1, select("#", ...) do r[i] = S((select(i, ...))) end print(table.concat(r, " ")) end
local function I(n) local i = 0 return function() i = i + 1 if i <= n then return i, i * i end end end
gn, gs, gb, gt, gf, gx = 1, "s", true, {x = 1, "e"}, function(...) return ... end, nil
local describe = tostring
local function tostring(v) if type(v) == "table" then return "{}" elseif type(v) == "function" then return "f" end return describe(v) end
local fuel = 1000
local function T() fuel = fuel - 1 if fuel < 0 then error("fuel", 0) end end
local depth = 0
local function D(f, ...) if depth > 5 then return nil end depth = depth + 1 local r = {pcall(f, ...)} depth = depth - 1 return r[2], r[3] end
`

// program returns a random program.
func program(seed uint64) string {
	g := &programmer{rng: rand.New(rand.NewPCG(seed, 5)), budget: 12}
	g.b.WriteString(prelude)
	for g.budget > 0 {
		if g.chance(60) {
			g.line("P(pcall(function(...)")
			g.function(true, func() { g.block(3) })
			g.stat("end, %s))", g.list(3))
		} else {
			g.statement()
		}
	}
	return g.b.String()
}

func (g *programmer) n(n int) int { return g.rng.IntN(n) }

func (g *programmer) chance(percent int) bool { return g.rng.IntN(100) < percent }

func (g *programmer) pick(choices ...string) string { return choices[g.n(len(choices))] }

func (g *programmer) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat(" ", g.indent))
	fmt.Fprintf(&g.b, format, args...)
	if g.chance(4) {
		g.b.WriteString("\n")
	}
	g.b.WriteString(g.pick("\n", "\n", "\n", " "))
}

// stat writes a whole statement, which a semicolon may follow.
func (g *programmer) stat(format string, args ...any) {
	g.line(format+g.pick("", "", "", ";"), args...)
}

// function runs body in the scope of a new function.
func (g *programmer) function(vararg bool, body func()) {
	loops, before, locals := g.loops, g.vararg, len(g.locals)
	g.loops, g.vararg = 0, vararg
	g.fns++
	body()
	g.fns--
	g.loops, g.vararg, g.locals = loops, before, g.locals[:locals]
}

// block writes up to n statements in a scope of their own.
func (g *programmer) block(n int) {
	locals := len(g.locals)
	g.indent++
	for range 1 + g.n(n) {
		g.statement()
	}
	switch {
	case g.fns > 0 && g.chance(25):
		g.stat("return %s", g.list(3))
	case g.loops > 0 && g.chance(15):
		g.stat("break")
	}
	g.indent--
	g.locals = g.locals[:locals]
}

func (g *programmer) newName() string {
	g.names++
	if g.chance(30) {
		return g.pick("a", "b", "c", "x", "y", "self", "arg", "t")
	}
	return fmt.Sprintf("v%d", g.names)
}

func (g *programmer) declare(name string, k kind) { g.locals = append(g.locals, local{name, k}) }

// variable returns a visible local of that kind, or a global.
func (g *programmer) variable(k kind) string {
	var fit []string
	for _, l := range g.locals {
		if l.kind == k || k == kindAny || g.chance(3) {
			fit = append(fit, l.name)
		}
	}
	if len(fit) > 0 && g.chance(90) {
		return fit[g.n(len(fit))]
	}
	return [...]string{"gn", "gs", "gb", "gt", "gf", "gx"}[k]
}

func (g *programmer) statement() {
	g.budget--
	if g.depth > 4 || g.budget < -40 {
		g.stat("P(%s)", g.list(2))
		return
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.n(28) {
	case 0, 1, 2:
		g.localStatement()
	case 3, 4, 5:
		g.assignment()
	case 6, 7:
		g.line("if %s then", g.boolean())
		g.block(2)
		for g.chance(30) {
			g.line("elseif %s then", g.boolean())
			g.block(2)
		}
		if g.chance(50) {
			g.line("else")
			g.block(2)
		}
		g.stat("end")
	case 8, 9:
		g.numericFor()
	case 10, 11:
		g.genericFor()
	case 12:
		g.names++
		name := fmt.Sprintf("w%d", g.names)
		g.line("local %s = 0", name)
		if g.chance(50) {
			g.line("while %s < %d and %s do %s = %s + 1", name, 1+g.n(4), g.boolean(), name, name)
			g.loop()
			g.stat("end")
		} else {
			g.line("repeat %s = %s + 1", name, name)
			g.loop()
			g.line("until %s > %d or %s", name, g.n(3), g.boolean())
		}
	case 13, 14:
		g.functionStatement()
	case 15:
		g.line("do")
		g.block(3)
		g.stat("end")
	case 16, 17:
		g.line("P(pcall(function(...)")
		g.function(true, func() { g.block(3) })
		g.stat("end, %s))", g.list(3))
	case 18:
		g.coroutine()
	case 19:
		g.stat("setmetatable(%s, %s)", g.variable(kindTable), g.metatable())
	case 20:
		g.stat("table.%s", g.pick(
			"insert("+g.variable(kindTable)+", ("+g.any()+"))", "remove("+g.variable(kindTable)+")",
			"insert("+g.variable(kindTable)+", 1, ("+g.any()+"))", "sort("+g.variable(kindTable)+")"))
	case 21:
		g.stat("%s", g.statCall())
	case 22:
		g.accumulation()
	case 23:
		g.object()
	case 24:
		g.producer()
	case 25:
		g.stat("P(pcall(function() T() return %s end))", g.library())
	default:
		g.stat("P(%s)", g.list(4))
	}
}

// loop writes the body of a loop.
func (g *programmer) loop() {
	g.loops++
	g.stat("T()")
	g.block(2)
	g.loops--
}

func (g *programmer) localStatement() {
	n := 1 + g.n(3)
	names := make([]string, n)
	kinds := make([]kind, n)
	values := make([]string, 0, n)
	for i := range names {
		names[i] = g.newName()
		kinds[i] = g.kind()
	}
	for _, k := range kinds[:g.n(n+1)] {
		values = append(values, g.expression(k))
	}
	if g.chance(15) {
		values = append(values, g.pick(g.call(), g.any(), g.dots()))
	}
	if len(values) == 0 {
		g.line("local %s", strings.Join(names, ", "))
	} else {
		g.stat("local %s = %s", strings.Join(names, ", "), strings.Join(values, ", "))
	}
	for i := range names {
		if i >= len(values) {
			kinds[i] = kindAny
		}
		g.declare(names[i], kinds[i])
	}
}

func (g *programmer) kind() kind { return kind(g.n(int(kinds))) }

func (g *programmer) assignment() {
	n := 1
	if g.chance(20) {
		n = 2 + g.n(2)
	}
	targets, values := make([]string, n), make([]string, n)
	for i := range targets {
		k := g.kind()
		switch g.n(5) {
		case 0:
			targets[i] = g.variable(kindTable) + "." + g.field()
		case 1:
			targets[i] = g.variable(kindTable) + "[" + g.key() + "]"
		default:
			targets[i] = g.variable(k)
		}
		values[i] = "K(" + g.expression(k) + ")"
		if k == kindNumber || k == kindBool {
			values[i] = g.expression(k)
		}
	}
	if g.chance(10) {
		values = values[:1+g.n(n)]
	}
	g.stat("%s = %s", strings.Join(targets, ", "), strings.Join(values, ", "))
}

func (g *programmer) numericFor() {
	name := g.newName()
	from := g.n(6) - 2
	switch g.n(5) {
	case 0:
		g.line("for %s = %d, %d, %s do", name, from, from-g.n(4), g.pick("-1", "-2", "-0.5"))
	case 1:
		g.line("for %s = %d, %d, %s do", name, from, from+g.n(4), g.pick("1", "2", "0.5", "0.3", "'1'"))
	case 2:
		g.line("for %s = %s, %d do", name, g.pick("1", "'1'", "#gt", g.variable(kindNumber)+" % 3"), 1+g.n(3))
	default:
		g.line("for %s = %d, %d do", name, from, from+g.n(4))
	}
	locals := len(g.locals)
	g.declare(name, kindNumber)
	g.loop()
	g.locals = g.locals[:locals]
	g.stat("end")
}

func (g *programmer) genericFor() {
	k, v := g.newName(), g.newName()
	switch g.n(5) {
	case 0:
		g.line("for %s, %s in pairs(%s) do", k, v, g.expression(kindTable))
	case 1:
		g.line("for %s, %s in ipairs(%s) do", k, v, g.expression(kindTable))
	case 2:
		g.line("for %s, %s in next, %s do", k, v, g.expression(kindTable))
	case 3:
		g.line("for %s in (%s):gmatch(%s) do", k, g.str(), g.pick("'%a+'", "'.'", "'%d'"))
		v = k
	default:
		g.line("for %s, %s in I(%d) do", k, v, g.n(4))
	}
	locals := len(g.locals)
	g.declare(k, kindAny)
	if v != k {
		g.declare(v, kindAny)
	}
	g.loop()
	g.locals = g.locals[:locals]
	g.stat("end")
}

func (g *programmer) functionStatement() {
	name := g.newName()
	switch g.n(5) {
	case 0, 1, 2:
		g.declare(name, kindFunction)
		g.b.WriteString("local function " + name)
	case 3:
		g.b.WriteString("function " + g.variable(kindTable) + g.pick(".", ":") + g.field())
	default:
		g.b.WriteString("function gf")
	}
	g.functionBody()
}

// functionBody writes parameters, statements and end.
func (g *programmer) functionBody() {
	g.function(false, func() {
		params := make([]string, g.n(4))
		for i := range params {
			params[i] = g.newName()
			g.declare(params[i], kindAny)
		}
		if g.chance(30) {
			g.vararg = true
			params = append(params, "...")
		}
		g.line("(%s)", strings.Join(params, ", "))
		g.stat("T()")
		g.block(2)
		g.stat("end")
	})
}

func (g *programmer) coroutine() {
	name := g.newName()
	g.line("local %s = coroutine.%s(function(...)", name, g.pick("wrap", "create"))
	g.function(true, func() {
		g.line("local %s = coroutine.yield(%s)", name, g.list(2))
		g.declare(name, kindAny)
		g.block(2)
	})
	g.line("end)")
	for range 1 + g.n(3) {
		g.line("P(type(%s) == 'thread' and coroutine.status(%s), "+
			"pcall(type(%s) == 'thread' and coroutine.resume or %s, %s%s))",
			name, name, name, name, g.pick(name+", ", ""), g.list(2))
	}
}

// list returns up to n expressions.
func (g *programmer) list(n int) string {
	parts := make([]string, 1+g.n(n))
	for i := range parts {
		parts[i] = g.expression(g.kind())
	}
	if g.chance(10) {
		parts = append(parts, g.pick(g.call(), g.dots()))
	}
	return strings.Join(parts, ", ")
}

func (g *programmer) dots() string {
	if g.vararg || g.fns == 0 {
		return "..."
	}
	return "nil"
}

func (g *programmer) field() string {
	return g.pick("x", "y", "name", "n", "value", "f", "next")
}

func (g *programmer) key() string {
	switch g.n(6) {
	case 0, 1:
		return fmt.Sprint(1 + g.n(5))
	case 2:
		return "(" + g.number() + " - 0)"
	case 3:
		return g.pick("'k'", "'x'", "true", "1.5", "-1", "0")
	case 4:
		return "#" + g.variable(kindTable) + " + 1"
	}
	return "S(" + g.any() + "):sub(1, 31)" // longer ones hash as in Redis, not as in lua5.1
}

func (g *programmer) any() string { return g.expression(g.kind()) }

func (g *programmer) expression(k kind) string {
	if g.depth > 7 {
		return g.leaf(k)
	}
	if g.chance(4) {
		k = kindAny
	}
	g.depth++
	defer func() { g.depth-- }()
	switch k {
	case kindNumber:
		return g.number()
	case kindString:
		return g.str()
	case kindBool:
		return g.boolean()
	case kindTable:
		return g.table()
	case kindFunction:
		return g.functionExpression()
	}
	switch g.n(9) {
	case 0:
		return g.call()
	case 1:
		return g.variable(kindTable) + "." + g.field()
	case 2:
		return g.variable(kindTable) + "[" + g.key() + "]"
	case 3:
		return "(" + g.any() + " " + g.pick("and", "or") + " " + g.any() + ")"
	case 4:
		return "(" + g.any() + ")"
	case 5:
		return g.dots()
	case 6:
		return g.variable(kindAny)
	case 7:
		return "nil"
	}
	return g.expression(kind(g.n(5)))
}

func (g *programmer) leaf(k kind) string {
	if g.chance(50) {
		return g.variable(k)
	}
	switch k {
	case kindNumber:
		return g.pick("0", "1", "2", "3", "10", "(-1)", "0.5", "1e15", "0x10", "(-0)", "(1/0)", "2^53", "7", "100",
			"1e-3", "12345.678")
	case kindString:
		return g.pick("''", "'a'", "'abc'", "'10'", "' 5 '", "'0x1F'", "'1e2'", "'\\0b'", "'x y'", "[[long]]", "'%d'",
			"'Z'", "\"q\\\"\"")
	case kindBool:
		return g.pick("true", "false")
	case kindTable:
		return g.pick("{}", "{1, 2, 3}", "{x = 1}", "{'a', 'b', n = 2}")
	case kindFunction:
		return g.pick("print", "tostring", "I", "function() end", "function(x) return x end", "math.max")
	}
	return g.pick("nil", "true", "5", "'s'", "{}")
}

func (g *programmer) number() string {
	switch g.n(12) {
	case 0, 1, 2, 3:
		return g.leaf(kindNumber)
	case 4, 5, 6:
		op := g.pick("+", "-", "*", "/", "%", "^")
		return "(" + g.expression(kindNumber) + " " + op + " " + g.expression(kindNumber) + ")"
	case 7:
		return "-" + g.pick(g.variable(kindNumber), "3", "(2 ^ 0.5)")
	case 8:
		return "#" + g.pick(g.variable(kindTable), g.variable(kindString), "'abc'", "{1, nil, 3}")
	case 9:
		return g.pick("math.floor(", "math.abs(", "math.max(1, ", "math.min(3, ", "tonumber(", "select('#', ") +
			g.expression(kindNumber) + ")"
	case 10:
		return "(" + g.expression(kindString) + " + " + g.leaf(kindNumber) + ")"
	}
	return "(" + g.expression(kindString) + "):len()"
}

func (g *programmer) str() string {
	switch g.n(10) {
	case 0, 1, 2:
		return g.leaf(kindString)
	case 3, 4, 5:
		parts := []string{g.expression(kindString), g.pick(g.expression(kindString), g.expression(kindNumber))}
		if g.chance(40) {
			parts = append(parts, g.leaf(kindString))
		}
		return "(" + strings.Join(parts, " .. ") + ")"
	case 6:
		return "tostring(" + g.expression(kindNumber) + ")"
	case 7:
		return "(" + g.expression(kindString) + "):" +
			g.pick("upper()", "sub(2)", "sub(-2)", "sub(1, 3)", "rep(2)", "reverse()", "lower()", "gsub('a', 'b')")
	case 8:
		return g.pick("('%d %s'):format(", "('%5.2f|%-5s|'):format(", "('%x %q'):format(") + g.expression(kindNumber) +
			", " + g.expression(kindString) + ")"
	}
	return "type(" + g.any() + ")"
}

func (g *programmer) boolean() string {
	switch g.n(8) {
	case 0:
		return g.leaf(kindBool)
	case 1, 2:
		op := g.pick("<", "<=", ">", ">=")
		k := kind(g.n(2))
		return "(" + g.expression(k) + " " + op + " " + g.expression(k) + ")"
	case 3, 4:
		return "(" + g.any() + " " + g.pick("==", "~=") + " " + g.any() + ")"
	case 5:
		return "not " + g.expression(kindBool)
	case 6:
		return "(" + g.expression(kindBool) + " " + g.pick("and", "or") + " " + g.expression(kindBool) + ")"
	}
	return "(" + g.variable(kindAny) + " ~= nil)"
}

func (g *programmer) table() string {
	switch g.n(5) {
	case 0:
		return g.leaf(kindTable)
	case 1:
		return "setmetatable(" + g.constructor() + ", " + g.metatable() + ")"
	case 2:
		return g.variable(kindTable)
	}
	return g.constructor()
}

func (g *programmer) constructor() string {
	var items []string
	for range g.n(5) {
		switch g.n(4) {
		case 0:
			items = append(items, g.field()+" = "+g.any())
		case 1:
			items = append(items, "["+g.key()+"] = "+g.any())
		default:
			items = append(items, g.any())
		}
	}
	if g.chance(15) {
		items = append(items, g.pick(g.call(), g.dots()))
	}
	return "{" + strings.Join(items, ", ") + "}"
}

func (g *programmer) metatable() string {
	events := []string{
		"__index = " + g.pick("{x = 1, f = I}", "function(t, k) return k end", g.variable(kindTable),
			"function(t, k) return nil end"),
		"__newindex = function(t, k, v) rawset(t, k, v) end",
		"__call = function(self, ...) return select('#', ...), ... end",
		"__add = function(a, b) return 1 end", "__sub = function(a, b) return 'sub' end", "__mul = 5",
		"__concat = function(a, b) return 'cat' end", "__unm = function(a) return 7 end",
		"__eq = function(a, b) return true end", "__lt = function(a, b) return false end",
		"__le = function(a, b) return 1 end", "__len = function() return 42 end",
		"__div = function(a, b) return D(function() return a.x / 2 end) end",
		"__tostring = function() return 'T' end",
	}
	var chosen []string
	for range g.n(4) {
		chosen = append(chosen, events[g.n(len(events))])
	}
	return "{" + strings.Join(chosen, ", ") + "}"
}

func (g *programmer) functionExpression() string {
	if g.chance(50) {
		return g.leaf(kindFunction)
	}
	var body string
	g.function(false, func() {
		g.declare("p", kindAny)
		g.declare("q", kindNumber)
		body = g.list(2)
	})
	if g.chance(30) {
		return "function(p, q) local l = q T() return function() T() l = " + g.leaf(kindNumber) + " return l, p end end"
	}
	return "function(p, q) T() return " + body + " end"
}

// statCall returns a call that may stand as a statement.
func (g *programmer) statCall() string {
	return "D(" + g.variable(kindFunction) + ", " + g.list(2) + ")"
}

func (g *programmer) call() string {
	switch g.n(9) {
	case 0:
		return g.variable(kindTable) + ":" + g.field() + "(" + g.leaf(g.kind()) + ")"
	case 1:
		return g.variable(kindTable) + "." + g.field() + "(" + g.leaf(g.kind()) + ")"
	case 2:
		return "D(" + g.variable(kindFunction) + ", " + g.leaf(g.kind()) + ")"
	case 3:
		return g.pick("unpack(", "next(", "rawlen(", "rawget(", "ipairs(") + g.variable(kindTable) + ")"
	case 4:
		return "pcall(" + g.variable(kindFunction) + ", " + g.leaf(g.kind()) + ")"
	case 5:
		return g.pick("error(", "assert(", "tostring(", "select(1, ") + g.leaf(g.kind()) + ")"
	case 6, 7:
		return g.library()
	}
	return "D(" + g.functionExpression() + ", " + g.leaf(g.kind()) + ", " + g.leaf(kindNumber) + ")"
}
