package lua_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

var (
	randomCases = flag.Int("cases", 500, "random cases of each kind to compare with the oracles")
	randomSeed  = flag.Int64("seed", 1, "what the random cases grow from")
)

// TestRandomCases compares what random expressions give here and on the
// oracles, as far as these are installed.
func TestRandomCases(t *testing.T) {
	for _, kind := range []struct {
		name   string
		oracle func(*testing.T, []string) []string
		next   func(*generator) string
	}{
		{"pattern", askLua, (*generator).patternCase},
		{"format", askLua, (*generator).formatCase},
		{"table", askLua, (*generator).tableCase},
		{"number", askLua, (*generator).numberCase},
		{"decode", askRedis, (*generator).decodeCase},
		{"encode", askRedis, (*generator).encodeCase},
		{"unpack", askRedis, (*generator).unpackCase},
		{"struct", askRedis, (*generator).structCase},
		{"bit", askRedis, (*generator).bitCase},
	} {
		t.Run(kind.name, func(t *testing.T) {
			g := &generator{rand.New(rand.NewSource(*randomSeed))}
			sources := make([]string, *randomCases)
			for i := range sources {
				sources[i] = kind.next(g)
			}
			want := kind.oracle(t, sources)
			show := showCase(t)
			for i, source := range sources {
				require.Equal(t, want[i], show(source), source)
			}
		})
	}
}

// showCase returns a function that evaluates a case in a new State.
func showCase(t testing.TB) func(source string) string {
	L := testState()
	chunk, err := lua.Compile(harness(t, "return case"), "=harness")
	require.NoError(t, err)
	show := L.Call1(L.Load(chunk).Value())
	return func(source string) string {
		shown, _ := L.Call1(show, lua.String(source)).AsString()
		return shown
	}
}

type generator struct{ *rand.Rand }

func (g *generator) pick(of ...string) string { return of[g.Intn(len(of))] }

// some joins up to n picks.
func (g *generator) some(n int, of ...string) string {
	var b strings.Builder
	for range g.Intn(n + 1) {
		b.WriteString(g.pick(of...))
	}
	return b.String()
}

// quote writes s as a string of Lua.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03d`, c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func (g *generator) patternCase() string {
	subject := g.some(12, "a", "b", "aa", "ab", "1", " ", ".", "(", ")", "-", "\n", "\x00", "Z", "%")
	pattern := g.some(7, "a", "b", ".", "%a", "%d", "%s", "%w", "%W", "[ab]", "[^a]", "[a-z1]", "%b()", "%f[%w]", "%f[%A]",
		"(", ")", "()", "%1", "%2", "^", "$", "*", "+", "-", "?", "(a)", "(.-)", "(%w*)", "[%s.]", "%.", "%%", "[", "]", "[^", "%", "%z")
	switch g.Intn(5) {
	case 0:
		return fmt.Sprintf("string.find(%s,%s,%d)", quote(subject), quote(pattern), g.Intn(6)-1)
	case 1:
		return fmt.Sprintf("string.match(%s,%s)", quote(subject), quote(pattern))
	case 2:
		replacement := g.some(3, "%0", "%1", "%2", "x", "%%", "-")
		return fmt.Sprintf("string.gsub(%s,%s,%s)", quote(subject), quote(pattern), quote(replacement))
	case 3:
		return fmt.Sprintf("string.gsub(%s,%s,function(...) return %s end,%d)", quote(subject), quote(pattern), g.pick("select('#',...)", "...", "nil", "'<'..tostring((...))..'>'"), g.Intn(5))
	}
	return fmt.Sprintf("(function() local t={} for a,b in string.gmatch(%s,%s) do t[#t+1]={a,b} if #t>50 then break end end return t end)()", quote(subject), quote(pattern))
}

// number writes a number as an expression.
func (g *generator) number() string {
	switch g.Intn(8) {
	case 0:
		return fmt.Sprint(g.Intn(10))
	case 1:
		return fmt.Sprintf("(%d)", g.Intn(2000)-1000)
	case 2:
		return fmt.Sprintf("(%.17g)", g.NormFloat64()*math.Pow(10, float64(g.Intn(30)-15)))
	case 3:
		return g.pick("(0/0)", "(1/0)", "(-1/0)", "(-1/(1/0))", "2^53", "2^31", "(-2^31)", "2^32", "2^63", "2^64", "1e15", "1e300")
	case 4:
		return fmt.Sprintf("(%d/%d)", g.Intn(100), g.Intn(20)+1)
	case 5:
		return fmt.Sprint(g.Int63())
	case 6:
		return fmt.Sprintf("(%d+0.5)", g.Intn(1000)-500)
	}
	return quote(fmt.Sprint(g.Intn(1000)))
}

func (g *generator) formatCase() string {
	format := g.some(1, "x") + "%" + g.some(2, "-", "+", " ", "#", "0") + g.pick("", "", "5", "12", "20") + g.pick("", "", ".0", ".3", ".10", ".") +
		g.pick("d", "i", "u", "x", "X", "o", "c", "e", "E", "f", "g", "G", "s", "q", "y") + g.some(1, "|")
	arg := g.number()
	if g.Intn(4) == 0 {
		arg = quote(g.some(6, "a", "b\x00", "\"", "\n", "\\", "\r", "12", " "))
	}
	return fmt.Sprintf("string.format(%s,%s)", quote(format), arg)
}

func (g *generator) tableCase() string {
	var elements []string
	for range g.Intn(20) {
		elements = append(elements, g.pick(fmt.Sprint(g.Intn(50)-20), fmt.Sprint(g.Intn(9))))
	}
	if g.Intn(4) == 0 {
		for i := range elements {
			elements[i] = quote(g.some(4, "a", "b", "A", "0", "\xff"))
		}
	}
	list := strings.Join(elements, ",")
	action := g.pick("table.sort(t)",
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

func (g *generator) numberCase() string {
	switch g.Intn(3) {
	case 0:
		return fmt.Sprintf("tostring(%s)", g.number())
	case 1:
		text := g.pick("", "0x", "-", " ") + g.some(10, "0", "1", "9", "5", ".", "e", "E+", "-", "x", "p", "a", "F", " ", "inf", "nan")
		return fmt.Sprintf("tonumber(%s)", quote(text))
	}
	return fmt.Sprintf("%s%s%s", g.number(), g.pick("+", "-", "*", "/", "%", "<", "<=", "==", ".."), g.number())
}

// json writes a random document.
func (g *generator) json(depth int) string {
	kind := g.Intn(8)
	if depth == 0 {
		kind = g.Intn(6)
	}
	switch kind {
	case 0:
		return g.pick("true", "false", "null")
	case 1, 2:
		return g.pick(fmt.Sprint(g.Intn(1000)-100), fmt.Sprintf("%g", g.NormFloat64()*1e3), fmt.Sprintf("%.17g", g.NormFloat64()), "1e5", "-0", "0x1f", "01", "1E-3", "12345678901234567890")
	case 3, 4, 5:
		return `"` + g.some(5, "a", "b", "key", `\n`, `\"`, `\\`, `\/`, `\u0041`, `\u00e9`, `\u20ac`, `\ud83d\ude00`, "é", " ", "\x7f") + `"`
	case 6:
		var parts []string
		for range g.Intn(5) {
			parts = append(parts, g.json(depth-1))
		}
		return "[" + strings.Join(parts, g.pick(",", ", ", " ,")) + "]"
	}
	var parts []string
	for range g.Intn(6) {
		parts = append(parts, fmt.Sprintf(`"%s"%s%s`, g.pick("a", "b", "id", "name", "x1", "x2", "", "1"), g.pick(":", " : "), g.json(depth-1)))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (g *generator) decodeCase() string {
	text := g.json(3)
	if g.Intn(3) > 0 && len(text) > 0 { // break it
		i := g.Intn(len(text))
		junk := g.pick("", ",", ":", "]", "}", "[", "{", "\"", "\\", "x", "1", "-", " ", "\x00", "\x01", "null", "+1", "inf")
		text = text[:i] + junk + text[min(len(text), i+g.Intn(3)):]
	}
	if g.Intn(3) == 0 {
		return fmt.Sprintf("cjson.encode(cjson.decode(%s))", quote(text))
	}
	return fmt.Sprintf("cjson.decode(%s)", quote(text))
}

// value writes a random value as an expression.
func (g *generator) value(depth int) string {
	if depth == 0 || g.Intn(3) == 0 {
		switch g.Intn(4) {
		case 0:
			return g.pick("true", "false", "nil", "cjson.null")
		case 1:
			return quote(g.some(4, "a", "b", "\"", "\\", "/", "\n", "\x00", "\xff", "xyzxyzxyzxyz"))
		}
		return g.number()
	}
	var parts []string
	for range g.Intn(7) {
		switch g.Intn(4) {
		case 0:
			parts = append(parts, fmt.Sprintf("[%s]=%s", g.pick("1", "2", "3", "5", "20", "1.5", "0", "-1", "true", quote("k")), g.value(depth-1)))
		case 1:
			parts = append(parts, g.pick("a", "b", "c", "id", "name", "foo")+"="+g.value(depth-1))
		default:
			parts = append(parts, g.value(depth-1))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (g *generator) encodeCase() string {
	return g.pick("cjson.encode", "cmsgpack.pack") + "(" + g.value(3) + ")"
}

func (g *generator) unpackCase() string {
	var b strings.Builder
	for range g.Intn(12) {
		b.WriteString(g.pick("\x01", "\x05", "\x90", "\x91", "\x92", "\x80", "\x81", "\x82", "\xa0", "\xa1a", "\xa2bc", "\xc0", "\xc1", "\xc2", "\xc3",
			"\xca\x3f\xc0\x00\x00", "\xcb\x3f\xf1\x99\x99\x99\x99\x99\x9a", "\xcc\xff", "\xcd\x01\x02", "\xce\xff\xff\xff\xff", "\xcf\x01\x02\x03\x04\x05\x06\x07\x08",
			"\xd0\x80", "\xd1\x80\x00", "\xd2\x80\x00\x00\x00", "\xd3\xff\xff\xff\xff\xff\xff\xff\xfe", "\xd9\x01z", "\xda\x00\x02zz", "\xdb\x00\x00\x00\x01z",
			"\xdc\x00\x02", "\xdd\x00\x00\x00\x01", "\xde\x00\x01", "\xdf\x00\x00\x00\x01", "\xc4", "\xd4", "\xe0", "\xff", string([]byte{byte(g.Intn(256))})))
	}
	s := quote(b.String())
	switch g.Intn(3) {
	case 0:
		return fmt.Sprintf("cmsgpack.unpack_one(%s,%d)", s, g.Intn(6)-1)
	case 1:
		return fmt.Sprintf("cmsgpack.unpack_limit(%s,%d,%d)", s, g.Intn(5)-1, g.Intn(4))
	}
	return fmt.Sprintf("cmsgpack.unpack(%s)", s)
}

func (g *generator) structCase() string {
	format := g.some(6, "b", "B", "h", "H", "i", "I", "l", "L", "T", "f", "d", "x", "s", "c0", "c2", "c", "i3", "I5", "i8", "i9", "i12", "I16", " ", "<", ">", "!", "!2", "!4", "!16", "!3", "i33", "y")
	var args []string
	for range g.Intn(6) {
		args = append(args, g.pick(g.number(), g.number(), quote(g.some(4, "a", "b", "\x00"))))
	}
	data := make([]byte, g.Intn(40))
	for i := range data {
		data[i] = g.pick("\x00", "\x01", "\x02", "\xff", "\x80", "a")[0]
	}
	switch g.Intn(4) {
	case 0:
		return fmt.Sprintf("struct.size(%s)", quote(format))
	case 1:
		return fmt.Sprintf("struct.unpack(%s,%s,%d)", quote(format), quote(string(data)), g.Intn(5))
	case 2:
		return fmt.Sprintf("struct.unpack(%s,%s)", quote(format), quote(string(data)))
	}
	return fmt.Sprintf("struct.pack(%s)", strings.Join(append([]string{quote(format)}, args...), ","))
}

func (g *generator) bitCase() string {
	var args []string
	for range g.Intn(3) + 1 {
		args = append(args, g.number())
	}
	function := g.pick("band", "bor", "bxor", "bnot", "lshift", "rshift", "arshift", "rol", "ror", "bswap", "tobit", "tohex")
	return fmt.Sprintf("bit.%s(%s)", function, strings.Join(args, ","))
}
