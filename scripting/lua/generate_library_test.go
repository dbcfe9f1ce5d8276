package lua_test

import (
	"fmt"
	"strings"
)

// Calls of library functions in random programs.

// library returns a call of a library function.
func (g *programmer) library() string {
	switch g.n(9) {
	case 0, 1:
		return g.substitution()
	case 2:
		return g.search()
	case 3:
		return g.sorting()
	case 4:
		return g.failing()
	case 5:
		return g.mathematics()
	case 6:
		return g.vararguments()
	case 7:
		return g.texts()
	}
	return g.reading()
}

func (g *programmer) subject() string {
	return g.pick("'hello world'", "'a1b22c333'", "' key = value, k2=v2 '", "'((x)(y))'", "'\\0a\\0'", "''",
		g.expression(kindString))
}

// pattern returns a pattern in quotes, sometimes a malformed one.
func (g *programmer) pattern() string {
	var b strings.Builder
	open := 0
	if g.chance(15) {
		b.WriteString("^")
	}
	for range 1 + g.n(4) {
		switch g.n(8) {
		case 0:
			b.WriteString("(")
			open++
		case 1:
			b.WriteString(g.pick("()", "%b()", "%f[%w]", "%f[%s%z]", "%1"))
		}
		b.WriteString(g.pick("%a", "%d", "%w", "%s", ".", "[a-z]", "[^%s]", "[%a_]", "[]x]", "[^]x]", "a", "l", "=",
			"%%", "%z", "%x", "%p", "[%d-]", "%W"))
		b.WriteString(g.pick("", "", "*", "+", "-", "?"))
		if open > 0 && g.chance(60) {
			b.WriteString(")")
			open--
		}
	}
	if !g.chance(3) {
		b.WriteString(strings.Repeat(")", open))
	}
	b.WriteString(g.pick("", "", "", "", "$", "$", "$x"))
	if g.chance(2) {
		b.WriteString(g.pick("[a", "%", ")", "(", "%b", "%f", "%2", "[%"))
	}
	return "'" + b.String() + "'"
}

func (g *programmer) substitution() string {
	replacement := g.pick("'%0%0'", "'<%1>'", "'%2'", "'x'", "''", "'%%'", "'%'", "'%a'",
		"{a = 'A', l = 1, ['1'] = true, hello = false}", "function(a, b) T() return b or a end",
		"function(...) T() return (...):upper() .. select('#', ...) end", "function() T() return nil end",
		"function(c) T() return #c end", "function(c) T() return {} end", "string.upper", g.any())
	limit := g.pick("", "", "", ", 1", ", 0", ", 2", ", -1", ", '1'", ", {}")
	return "(" + g.subject() + "):gsub(" + g.pattern() + ", " + replacement + limit + ")"
}

func (g *programmer) search() string {
	method := g.pick("find", "match")
	rest := g.pick("", "", ", 2", ", -3", ", 100", ", '2'")
	if method == "find" && g.chance(30) {
		return "(" + g.subject() + "):find(" + g.pick("'l'", "'%'", "''", "'='", "'.'") +
			g.pick(", 1, true", ", 3, true", ", -2, 1", ", 100, true") + ")"
	}
	return "(" + g.subject() + "):" + method + "(" + g.pattern() + rest + ")"
}

// sorting sorts a list with one of several comparators, some of which are inconsistent.
func (g *programmer) sorting() string {
	items := make([]string, g.n(12))
	for i := range items {
		items[i] = g.pick("1", "2", "3", "-5", "0", "10", "'b'", "'a'", "(0/0)", "true")
		if !g.chance(10) {
			items[i] = fmt.Sprint(g.n(9))
		}
	}
	order := g.pick("", "", ", function(a, b) T() return a > b end", ", function(a, b) T() return a <= b end",
		", function() T() return true end", ", function(a, b) T() return a % 3 < b % 3 end",
		", function(a, b) T() if a == 5 then error('five') end return a < b end",
		", function() return nil end", ", function(a, b) T() return tostring(a) < tostring(b) end", ", 5", ", nil")
	return "(function(t) table.sort(t" + order + ") return t, table.concat(t, ',') end)({" +
		strings.Join(items, ", ") + "})"
}

// failing returns calls that throw and catch values of all kinds.
func (g *programmer) failing() string {
	switch g.n(8) {
	case 0:
		return "pcall(error, " + g.any() + g.pick("", ", 0", ", 1", ", 2") + ")"
	case 1:
		return "pcall(function() local t = " + g.any() + " return t." + g.field() + "." + g.field() + " end)"
	case 2:
		return "pcall(function() error(" + g.any() + g.pick("", ", 0", ", 1", ", 2", ", 3") + ") end)"
	case 3:
		return "xpcall(function() T() return " + g.any() + " end, function(e) return S(e) end)"
	case 4:
		return "pcall(assert, " + g.any() + g.pick("", ", 'said'", ", {}") + ")"
	case 5:
		return "pcall(function(a, b) return a " + g.pick("+", "-", "*", "/", "%", "^", "..", "<", "<=", ">", ">=") +
			" b end, " + g.any() + ", " + g.any() + ")"
	case 6:
		return "pcall(string." + g.pick("rep", "sub", "byte", "char", "format", "find", "upper", "len") + ", " +
			g.any() + ", " + g.any() + ")"
	}
	return "pcall(function() local a = " + g.any() + " T() return -a, #a, a() end)"
}

func (g *programmer) mathematics() string {
	n := g.expression(kindNumber)
	switch g.n(6) {
	case 0:
		return "math.fmod(" + n + ", " + g.leaf(kindNumber) + ")"
	case 1:
		return "math." + g.pick("modf", "frexp", "ceil", "floor", "sqrt", "abs") + "(" + n + ")"
	case 2:
		return "math.ldexp(" + n + ", " + g.pick("2", "-3", "0") + ")"
	case 3, 4:
		return "(" + n + g.pick(" % 7", " % 8", " % 1", " % 1024", " % 65521", " % 2147483648", " % -3", " % 0.5",
			" % 0", " % 10 ") + ")"
	}
	return "math." + g.pick("max", "min") + "(" + n + ", " + g.list(2) + ")"
}

func (g *programmer) vararguments() string {
	switch g.n(5) {
	case 0:
		return "select(" + g.pick("1", "2", "-1", "-2", "'#'", "0", "9", "1.7", "'2'") + ", " + g.list(3) + ")"
	case 1:
		return "unpack(" + g.expression(kindTable) + g.pick("", ", 2", ", 1, 3", ", 0, 2", ", -1, 1", ", 3, 1") + ")"
	case 2:
		return "(function(...) local a, b = ... return select('#', ...), b, a, ... end)(" + g.list(4) + ")"
	case 3:
		return "#{" + g.list(3) + "}"
	}
	return "(function(a, ...) T() return (select('#', ...)), {...}, a end)(" + g.list(4) + ")"
}

func (g *programmer) texts() string {
	s := g.subject()
	switch g.n(8) {
	case 0:
		return "(" + s + "):byte(" + g.pick("", "1, -1", "2", "-1", "0", "2, 4") + ")"
	case 1:
		return "string.char(" + g.pick("65, 66", "0, 255", "97", "", "256", "-1", "'65'") + ")"
	case 2:
		return "(" + s + "):rep(" + g.pick("0", "2", "3", "-1", "'2'") + ")"
	case 3:
		return "table.concat(" + g.expression(kindTable) + g.pick("", ", ','", ", ', ', 2", ", '', 1, 2", ", 1") + ")"
	case 4:
		return "tonumber(" + g.pick("'ff'", "'777'", "'z'", "'12'", "' 10 '", "'1e1'", "'0x'", "'-7'", g.any()) +
			g.pick("", ", 16", ", 8", ", 36", ", 10", ", 2") + ")"
	case 5:
		return g.formatting()
	}
	return "(" + s + "):sub(" + g.pick("1", "-3", "2, -2", "0", "3, 2", "-100, 100", "'2'", "1.9") + ")"
}

func (g *programmer) formatting() string {
	directive := "%" + g.pick("", "", "-", "0", "+", " ", "#") + g.pick("", "", "5", "12", "1") +
		g.pick("", "", ".0", ".3", ".10")
	kind, value := kindNumber, g.pick("d", "i", "u", "x", "X", "o", "e", "E", "f", "g", "G", "c")
	if g.chance(30) {
		kind, value = kindString, g.pick("s", "q", "s")
		directive = g.pick("%", "%5", "%-8", "%.2", "%10.1")
	}
	if value == "q" {
		directive = "%"
	}
	argument := g.expression(kind)
	if value == "c" {
		directive, argument = "%", g.pick("65", "10", "0", "48")
	} else if kind == kindNumber && !strings.Contains("eEfgG", value) {
		argument = g.pick("0", "1", "-1", "255", "3.7", "-2.5", "65536", "'12'", "nil")
		directive = strings.ReplaceAll(directive, "%+", "%")
		directive = strings.ReplaceAll(directive, "% ", "%")
	}
	return "('" + g.pick("", "<", "%%") + directive + value + "'):format(" + argument + ")"
}

// reading compiles a text at run time.
func (g *programmer) reading() string {
	text := g.pick("return 1 + 1", "return ...", "x = = 1", "return gn, gs", "local a <const>", "return 'unfinished",
		"for", "gn = 5", "return 0x", "}", "return function() end()", "error('inside')", "break", "return 1 2",
		"a.b:c = 1", "goto x")
	load := "loadstring(" + fmt.Sprintf("%q", text) + g.pick("", ", '=name'", ", '@file.lua'") + ")"
	if g.chance(50) {
		return "pcall(" + load + ", " + g.any() + ")"
	}
	return load
}

// accumulation writes loops of plain arithmetic over local variables.
func (g *programmer) accumulation() {
	name := fmt.Sprintf("s%d", g.names)
	g.names++
	g.line("local %s = %s", name, g.pick("0", "1", "-3", "0.5", "gn"))
	g.line("for i = %s do", g.pick("1, 20", "0, 5, 0.5", "10, -10, -3", "1, 3", "2 ^ 52, 2 ^ 52 + 3"))
	for range 1 + g.n(3) {
		g.line("%s = %s", name, g.polynomial(name, 3))
	}
	g.stat("end")
	g.stat("P(%s, %s - %s)", name, name, name)
}

// polynomial returns arithmetic on the variable i and another one.
func (g *programmer) polynomial(name string, depth int) string {
	if depth == 0 || g.chance(20) {
		return g.pick("i", name, "31", "2", "0.25", "7", "-1", "65521")
	}
	op := g.pick("+", "-", "*", "%", "%", "/")
	right := g.polynomial(name, depth-1)
	if op == "%" && g.chance(70) {
		right = g.pick("7", "8", "10", "1", "65521", "4294967296", "2147483648", "-5", "0.3", "1000003")
	}
	return "(" + g.polynomial(name, depth-1) + " " + op + " " + right + ")"
}

// object writes a small class with inheritance and uses it.
func (g *programmer) object() {
	name := fmt.Sprintf("C%d", g.names)
	g.names++
	g.line("local %s = {} %s.__index = %s", name, name, name)
	g.line("function %s.new(v) return setmetatable({v = v}, %s) end", name, name)
	g.line("function %s:get(d) T() return self.v, d end", name)
	g.line("%s.__%s = function(a, b) T() return %s end", name, g.pick("add", "lt", "le", "eq", "concat", "call",
		"index", "newindex", "unm", "tostring"), g.pick("1", "rawget(a, 'v')", "true", "'m'", "nil", "b"))
	a, b := name+".new("+g.any()+")", name+".new("+g.any()+")"
	g.stat("P(pcall(function() local a, b = %s, %s return %s end))", a, b,
		g.pick("a:get(1)", "a + b", "a < b, a <= b", "a == b", "a .. b", "a(1, 2)", "a.z, a.v", "-a", "a + 1", "1 .. a",
			"a:none()", "b.get(a), #a"))
}

// producer writes coroutines that exchange values, and errors between them.
func (g *programmer) producer() {
	name := fmt.Sprintf("co%d", g.names)
	g.names++
	body := g.pick("for i = 1, 3 do coroutine.yield(i, "+g.any()+") end return 'end'",
		"local a = ... while true do T() a = coroutine.yield(a) end", "pcall(coroutine.yield, 1) error({})",
		"table.sort({3, 2, 1}, function(a, b) coroutine.yield() return a < b end)",
		"return coroutine.running() ~= nil, coroutine.status(coroutine.running())",
		"return ('abc'):gsub('.', function(c) return coroutine.yield(c) end)", "error('out')",
		"local inner = coroutine.wrap(function() coroutine.yield(1) error('in') end) inner() "+
			"coroutine.yield(2) inner()")
	g.line("local %s = coroutine.create(function(...) %s end)", name, body)
	for range 1 + g.n(4) {
		g.stat("P(coroutine.resume(%s, %s)) P(coroutine.status(%s))", name, g.list(2), name)
	}
	if g.chance(20) {
		g.stat("P(pcall(coroutine.wrap(function() return coroutine.resume(%s) end)), pcall(coroutine.resume, 5))", name)
	}
}
