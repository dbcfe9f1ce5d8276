package lua_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/internal/luacases"
)

// TestRandomCases compares the results of random expressions with those of lua5.1, if it is
// installed.
func TestRandomCases(t *testing.T) {
	for name, next := range map[string]func(*luacases.Generator) string{
		"pattern": patternCase, "format": formatCase, "table": tableCase, "number": numberCase,
	} {
		t.Run(name, func(t *testing.T) { luacases.Random(t, testState(), luacases.AskLua, next) })
	}
}

func patternCase(g *luacases.Generator) string {
	subject := g.Some(12, "a", "b", "aa", "ab", "1", " ", ".", "(", ")", "-", "\n", "\x00", "Z", "%")
	pattern := g.Some(7, "a", "b", ".", "%a", "%d", "%s", "%w", "%W", "[ab]", "[^a]", "[a-z1]", "%b()", "%f[%w]",
		"%f[%A]", "(", ")", "()", "%1", "%2", "^", "$", "*", "+", "-", "?", "(a)", "(.-)", "(%w*)", "[%s.]", "%.", "%%",
		"[", "]", "[^", "%", "%z")
	switch g.Intn(5) {
	case 0:
		return fmt.Sprintf("string.find(%s,%s,%d)", luacases.Quote(subject), luacases.Quote(pattern), g.Intn(6)-1)
	case 1:
		return fmt.Sprintf("string.match(%s,%s)", luacases.Quote(subject), luacases.Quote(pattern))
	case 2:
		replacement := g.Some(3, "%0", "%1", "%2", "x", "%%", "-")
		return fmt.Sprintf("string.gsub(%s,%s,%s)", luacases.Quote(subject), luacases.Quote(pattern),
			luacases.Quote(replacement))
	case 3:
		return fmt.Sprintf("string.gsub(%s,%s,function(...) return %s end,%d)", luacases.Quote(subject),
			luacases.Quote(pattern), g.Pick("select('#',...)", "...", "nil", "'<'..tostring((...))..'>'"), g.Intn(5))
	}
	return fmt.Sprintf("(function() local t={} for a,b in string.gmatch(%s,%s) do t[#t+1]={a,b} if #t>50 then break "+
		"end end return t end)()", luacases.Quote(subject), luacases.Quote(pattern))
}

func formatCase(g *luacases.Generator) string {
	format := g.Some(1, "x") + "%" + g.Some(2, "-", "+", " ", "#", "0") +
		g.Pick("", "", "5", "12", "20") + g.Pick("", "", ".0", ".3", ".10", ".") +
		g.Pick("d", "i", "u", "x", "X", "o", "c", "e", "E", "f", "g", "G", "s", "q", "y") + g.Some(1, "|")
	arg := g.Number()
	if g.Intn(4) == 0 {
		arg = luacases.Quote(g.Some(6, "a", "b\x00", "\"", "\n", "\\", "\r", "12", " "))
	}
	return fmt.Sprintf("string.format(%s,%s)", luacases.Quote(format), arg)
}

func tableCase(g *luacases.Generator) string {
	var elements []string
	for range g.Intn(20) {
		elements = append(elements, g.Pick(fmt.Sprint(g.Intn(50)-20), fmt.Sprint(g.Intn(9))))
	}
	if g.Intn(4) == 0 {
		for i := range elements {
			elements[i] = luacases.Quote(g.Some(4, "a", "b", "A", "0", "\xff"))
		}
	}
	list := strings.Join(elements, ",")
	action := g.Pick("table.sort(t)",
		"table.sort(t,function(a,b) log=log..tostring(a)..'<'..tostring(b)..' ' return a<b end)",
		"table.sort(t,function(a,b) return a>b end)",
		fmt.Sprintf("log=pcall(table.sort,t,function(a,b) return (a*%d)%%7<=(b*3)%%%d end)", g.Intn(5), g.Intn(4)+2),
		fmt.Sprintf("table.insert(t,%d,99)", g.Intn(12)-2), "table.insert(t,7) table.insert(t,8)",
		fmt.Sprintf("log=tostring(table.remove(t,%d))", g.Intn(12)-2),
		fmt.Sprintf("log=table.concat(t,',',%d,%d)", g.Intn(4)+1, g.Intn(4)),
		fmt.Sprintf("t[%d]=nil log=#t..table.maxn(t)", g.Intn(20)),
		fmt.Sprintf("for i=1,%d do t[#t+1]=i end log=#t", g.Intn(40)),
		"for k,v in pairs(t) do log=log..k..';' end",
		"for i=1,5 do t['k'..i]=i end t.k2=nil t.zz=1 for k,v in pairs(t) do log=log..k..';' end")
	return fmt.Sprintf("(function() local t,log={%s},'' %s return t,log end)()", list, action)
}

func numberCase(g *luacases.Generator) string {
	switch g.Intn(3) {
	case 0:
		return fmt.Sprintf("tostring(%s)", g.Number())
	case 1:
		text := g.Pick("", "0x", "-", " ") +
			g.Some(10, "0", "1", "9", "5", ".", "e", "E+", "-", "x", "p", "a", "F", " ", "inf", "nan")
		return fmt.Sprintf("tonumber(%s)", luacases.Quote(text))
	}
	return fmt.Sprintf("%s%s%s", g.Number(), g.Pick("+", "-", "*", "/", "%", "<", "<=", "==", ".."), g.Number())
}
