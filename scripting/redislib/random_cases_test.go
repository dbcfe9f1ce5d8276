package redislib_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/internal/luacases"
)

// TestRandomCases compares the results of random expressions with those of redis-server, if it is
// installed.
func TestRandomCases(t *testing.T) {
	for name, next := range map[string]func(*luacases.Generator) string{
		"decode": decodeCase, "encode": encodeCase, "unpack": unpackCase, "struct": structCase, "bit": bitCase,
	} {
		t.Run(name, func(t *testing.T) { luacases.Random(t, testState(), luacases.AskRedis, next) })
	}
}

// json writes a random document.
func json(g *luacases.Generator, depth int) string {
	kind := g.Intn(8)
	if depth == 0 {
		kind = g.Intn(6)
	}
	switch kind {
	case 0:
		return g.Pick("true", "false", "null")
	case 1, 2:
		return g.Pick(fmt.Sprint(g.Intn(1000)-100), fmt.Sprintf("%g", g.NormFloat64()*1e3),
			fmt.Sprintf("%.17g", g.NormFloat64()), "1e5", "-0", "0x1f", "01", "1E-3", "12345678901234567890")
	case 3, 4, 5:
		return `"` + g.Some(5, "a", "b", "key", `\n`, `\"`, `\\`, `\/`, `\u0041`, `\u00e9`, `\u20ac`, `\ud83d\ude00`,
			"é", " ", "\x7f") + `"`
	case 6:
		var parts []string
		for range g.Intn(5) {
			parts = append(parts, json(g, depth-1))
		}
		return "[" + strings.Join(parts, g.Pick(",", ", ", " ,")) + "]"
	}
	var parts []string
	for range g.Intn(6) {
		parts = append(parts, fmt.Sprintf(`"%s"%s%s`, g.Pick("a", "b", "id", "name", "x1", "x2", "", "1"),
			g.Pick(":", " : "), json(g, depth-1)))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func decodeCase(g *luacases.Generator) string {
	text := json(g, 3)
	if g.Intn(3) > 0 && len(text) > 0 { // break it
		i := g.Intn(len(text))
		junk := g.Pick("", ",", ":", "]", "}", "[", "{", "\"", "\\", "x", "1", "-", " ", "\x00", "\x01",
			"null", "+1", "inf")
		text = text[:i] + junk + text[min(len(text), i+g.Intn(3)):]
	}
	if g.Intn(3) == 0 {
		return fmt.Sprintf("cjson.encode(cjson.decode(%s))", luacases.Quote(text))
	}
	return fmt.Sprintf("cjson.decode(%s)", luacases.Quote(text))
}

// value writes a random value as an expression.
func value(g *luacases.Generator, depth int) string {
	if depth == 0 || g.Intn(3) == 0 {
		switch g.Intn(4) {
		case 0:
			return g.Pick("true", "false", "nil", "cjson.null")
		case 1:
			return luacases.Quote(g.Some(4, "a", "b", "\"", "\\", "/", "\n", "\x00", "\xff", "xyzxyzxyzxyz"))
		}
		return g.Number()
	}
	var parts []string
	for range g.Intn(7) {
		switch g.Intn(4) {
		case 0:
			parts = append(parts, fmt.Sprintf("[%s]=%s",
				g.Pick("1", "2", "3", "5", "20", "1.5", "0", "-1", "true", luacases.Quote("k")), value(g, depth-1)))
		case 1:
			parts = append(parts, g.Pick("a", "b", "c", "id", "name", "foo")+"="+value(g, depth-1))
		default:
			parts = append(parts, value(g, depth-1))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func encodeCase(g *luacases.Generator) string {
	return g.Pick("cjson.encode", "cmsgpack.pack") + "(" + value(g, 3) + ")"
}

func unpackCase(g *luacases.Generator) string {
	var b strings.Builder
	for range g.Intn(12) {
		b.WriteString(g.Pick("\x01", "\x05", "\x90", "\x91", "\x92", "\x80", "\x81", "\x82", "\xa0", "\xa1a", "\xa2bc",
			"\xc0", "\xc1", "\xc2", "\xc3",
			"\xca\x3f\xc0\x00\x00", "\xcb\x3f\xf1\x99\x99\x99\x99\x99\x9a", "\xcc\xff", "\xcd\x01\x02",
			"\xce\xff\xff\xff\xff", "\xcf\x01\x02\x03\x04\x05\x06\x07\x08",
			"\xd0\x80", "\xd1\x80\x00", "\xd2\x80\x00\x00\x00", "\xd3\xff\xff\xff\xff\xff\xff\xff\xfe", "\xd9\x01z",
			"\xda\x00\x02zz", "\xdb\x00\x00\x00\x01z",
			"\xdc\x00\x02", "\xdd\x00\x00\x00\x01", "\xde\x00\x01", "\xdf\x00\x00\x00\x01", "\xc4", "\xd4", "\xe0",
			"\xff", string([]byte{byte(g.Intn(256))})))
	}
	s := luacases.Quote(b.String())
	switch g.Intn(3) {
	case 0:
		return fmt.Sprintf("cmsgpack.unpack_one(%s,%d)", s, g.Intn(6)-1)
	case 1:
		return fmt.Sprintf("cmsgpack.unpack_limit(%s,%d,%d)", s, g.Intn(5)-1, g.Intn(4))
	}
	return fmt.Sprintf("cmsgpack.unpack(%s)", s)
}

func structCase(g *luacases.Generator) string {
	format := g.Some(6, "b", "B", "h", "H", "i", "I", "l", "L", "T", "f", "d", "x", "s", "c0", "c2", "c", "i3", "I5",
		"i8", "i9", "i12", "I16", " ", "<", ">", "!", "!2", "!4", "!16", "!3", "i33", "y")
	var args []string
	for range g.Intn(6) {
		args = append(args, g.Pick(g.Number(), g.Number(), luacases.Quote(g.Some(4, "a", "b", "\x00"))))
	}
	data := make([]byte, g.Intn(40))
	for i := range data {
		data[i] = g.Pick("\x00", "\x01", "\x02", "\xff", "\x80", "a")[0]
	}
	switch g.Intn(4) {
	case 0:
		return fmt.Sprintf("struct.size(%s)", luacases.Quote(format))
	case 1:
		return fmt.Sprintf("struct.unpack(%s,%s,%d)", luacases.Quote(format), luacases.Quote(string(data)), g.Intn(5))
	case 2:
		return fmt.Sprintf("struct.unpack(%s,%s)", luacases.Quote(format), luacases.Quote(string(data)))
	}
	return fmt.Sprintf("struct.pack(%s)", strings.Join(append([]string{luacases.Quote(format)}, args...), ","))
}

func bitCase(g *luacases.Generator) string {
	var args []string
	for range g.Intn(3) + 1 {
		args = append(args, g.Number())
	}
	function := g.Pick("band", "bor", "bxor", "bnot", "lshift", "rshift", "arshift", "rol", "ror", "bswap",
		"tobit", "tohex")
	return fmt.Sprintf("bit.%s(%s)", function, strings.Join(args, ","))
}
