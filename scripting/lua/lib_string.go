package lua

import (
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// stringLib is the string library: it keeps a buffer and compiled patterns
// from one call to the next.
type stringLib struct {
	buffer   Buffer
	patterns patternCache
	matcher  matcher
}

// OpenString installs the string library as the global string and makes it
// the metatable of all strings.
func OpenString(L *State) *Table {
	lib := &stringLib{}
	t := newLibrary(L, "string", []entry{
		{"byte", stringByte},
		{"char", lib.char},
		{"dump", stringDump},
		{"find", lib.find},
		{"format", lib.format},
		{"gmatch", lib.gmatch},
		{"gsub", lib.gsub},
		{"len", stringLen},
		{"lower", stringLower},
		{"match", lib.match},
		{"rep", stringRep},
		{"reverse", stringReverse},
		{"sub", stringSub},
		{"upper", stringUpper},
	})
	t.SetString(nil, "gfind", t.GetString("gmatch"))
	meta := NewTable(0, 1)
	meta.SetString(nil, "__index", t.Value())
	L.SetStringMetatable(meta)
	return t
}

// fromEnd returns position pos of a string of length n counted from 1,
// negative ones from its end; 0 if that lies before the start.
func fromEnd(pos int64, n int) int64 {
	if pos < 0 {
		pos += int64(n) + 1
	}
	return max(pos, 0)
}

// span returns positions i to j as a half-open range of a string of length n.
func span(i, j int64, n int) (start, end int) {
	i, j = max(fromEnd(i, n), 1), min(fromEnd(j, n), int64(n))
	if i > j {
		return 0, 0
	}
	return int(i - 1), int(j)
}

// string.sub(s, i [, j])
func stringSub(L *State, c *Call) {
	s := c.CheckString(1)
	start, end := span(c.CheckInteger(2), c.OptInteger(3, -1), len(s))
	if end-start == len(s) && c.Arg(1).IsString() {
		c.Return1(c.Arg(1))
		return
	}
	c.Return1(L.Substring(s, start, end))
}

// string.len(s)
func stringLen(_ *State, c *Call) { c.Return1(Int(len(c.CheckString(1)))) }

// string.byte(s [, i [, j]])
func stringByte(L *State, c *Call) {
	s := c.CheckString(1)
	i := fromEnd(c.OptInteger(2, 1), len(s))
	start, end := span(i, c.OptInteger(3, i), len(s))
	if end-start == 1 {
		c.Return1(Int(int(s[start])))
		return
	}
	c.CheckStack(end-start, "string slice too long")
	L.Tick((end - start) >> 3)
	out := L.ret[:0]
	for ; start < end; start++ {
		out = append(out, Int(int(s[start])))
	}
	c.ReturnAll(out)
}

// string.char(...)
func (lib *stringLib) char(L *State, c *Call) {
	var b Buffer
	lib.buffer.Lend(&b)
	for i := 1; i <= c.NArgs(); i++ {
		code := c.CheckInt(i)
		if code != int(uint8(code)) {
			c.ArgError(i, "invalid value")
		}
		b.Text = append(b.Text, byte(code))
	}
	c.Return1(b.Finish(L, &lib.buffer))
}

// string.dump(f): functions have no binary form here.
func stringDump(L *State, c *Call) {
	c.CheckFunction(1)
	L.Errorf("unable to dump given function")
}

// longestString is what a string may hold at most, with any memory limit.
const longestString = 1<<31 - 1

// string.rep(s, n)
func stringRep(L *State, c *Call) {
	s, n := c.CheckString(1), c.CheckInt(2)
	if n <= 0 || s == "" {
		c.Return1(String(""))
		return
	}
	if n > longestString/len(s) {
		L.Throw(String("not enough memory"))
	}
	L.Alloc(len(s) * n)
	L.Tick(len(s) * n >> 8)
	if len(s)*n <= Piece {
		c.Return1(String(strings.Repeat(s, n)))
		return
	}
	out := room(len(s) * n)
	if many := Piece / 2 / len(s); many > 1 { // copies of many short strings at once, and the hook in between
		for some := strings.Repeat(s, many); n >= many; n -= many {
			out = append(out, some...)
			L.Tick(len(some) >> 8)
		}
	}
	for ; n > 0; n-- {
		out = L.Append(out, s)
	}
	c.Return1(Bytes(out))
}

// string.reverse(s)
func stringReverse(L *State, c *Call) {
	s := c.CheckString(1)
	L.Alloc(len(s))
	L.work(len(s))
	out := room(len(s))[:len(s)]
	for i := 0; i < len(s); {
		for end := min(i+Piece, len(s)); i < end; i++ {
			out[len(s)-1-i] = s[i]
		}
		L.tickPiece(len(s))
	}
	c.Return1(Bytes(out))
}

// string.lower(s)
func stringLower(L *State, c *Call) { mapLetters(L, c, 'A') }

// string.upper(s)
func stringUpper(L *State, c *Call) { mapLetters(L, c, 'a') }

// mapLetters answers with the argument in which the 26 letters from first on
// have changed their case; the argument itself if it contains none.
func mapLetters(L *State, c *Call, first byte) {
	s := c.CheckString(1)
	L.work(len(s))
	i := 0
	for i < len(s) && s[i]-first >= 26 {
		if i++; i%Piece == 0 {
			L.Tick(Piece >> 8)
		}
	}
	if i == len(s) {
		c.Return1(String(s))
		return
	}
	L.Alloc(len(s))
	out := L.Append(room(len(s)), s[:i])
	for i < len(s) {
		end := min(i+Piece, len(s))
		out = append(out, s[i:end]...)
		for ; i < end; i++ {
			if out[i]-first < 26 {
				out[i] ^= 0x20
			}
		}
		L.tickPiece(len(s))
	}
	c.Return1(Bytes(out))
}

// string.format(format, ...)
func (lib *stringLib) format(L *State, c *Call) {
	format := c.CheckString(1)
	var b Buffer
	lib.buffer.Lend(&b)
	arg := 1
	for i := 0; i < len(format); {
		percent := L.IndexByte(format[i:], '%')
		if percent < 0 {
			b.Append(L, format[i:])
			break
		}
		b.Append(L, format[i:i+percent])
		i += percent + 1
		if i < len(format) && format[i] == '%' {
			b.Text = append(b.Text, '%')
			i++
			L.Tick(1)
			continue
		}
		arg++
		i = formatOne(L, c, &b, format, i, arg)
		b.Settle(L)
	}
	c.Return1(b.Finish(L, &lib.buffer))
}

// formatOne appends argument arg by the directive behind the percent sign at
// format[i-1] and returns the index behind it.
func formatOne(L *State, c *Call, b *Buffer, format string, i, arg int) int {
	if arg > c.NArgs() {
		c.ArgError(arg, "no value")
	}
	if i < len(format) {
		switch format[i] { // without flags, width and precision
		case 'd':
			b.Text = appendInt(b.Text, number.ToInt64(c.CheckNumber(arg)))
			return i + 1
		case 's':
			b.appendString(L, c.CheckString(arg))
			return i + 1
		}
	}
	d, next, problem := parseDirective(format, i)
	if problem != "" {
		L.Errorf("%s", problem)
	}
	d.appendArg(L, c, b, arg)
	return next
}

func (d *directive) appendArg(L *State, c *Call, b *Buffer, arg int) {
	switch d.verb {
	case 'c':
		b.Text = d.char(b.Text, byte(number.ToInt32(c.CheckNumber(arg))))
	case 'd', 'i':
		b.Text = d.signed(b.Text, number.ToInt64(c.CheckNumber(arg)))
	case 'o', 'u', 'x', 'X':
		b.Text = d.unsigned(b.Text, number.ToUint64(c.CheckNumber(arg)))
	case 'e', 'E', 'f', 'g', 'G':
		b.Text = d.float(b.Text, c.CheckNumber(arg))
	case 'q':
		b.appendQuoted(L, c.CheckString(arg))
	case 's':
		if s := c.CheckString(arg); d.precision < 0 && len(s) >= 100 { // see appendString
			b.Append(L, s)
		} else {
			b.Text = d.text(b.Text, s)
		}
	case 0:
		L.Errorf("invalid option '%%' to 'format'")
	default:
		L.Errorf("invalid option '%%%s' to 'format'", []byte{d.verb})
	}
}

// appendString appends s as a plain %s: up to its first zero byte, unless it
// is so long that Lua passes it on without C's printf.
func (b *Buffer) appendString(L *State, s string) {
	if len(s) < 100 {
		s = cText(s)
	}
	b.Append(L, s)
}

func (b *Buffer) appendQuoted(L *State, s string) {
	b.Grow(L, 2*len(s)+2)
	b.Text = append(b.Text, '"')
	for ; len(s) > Piece/8; s = s[Piece/8:] {
		b.Text = appendQuoted(b.Text, s[:Piece/8])
		L.Tick(Piece >> 6)
	}
	L.Tick(len(s) >> 3)
	b.Text = append(appendQuoted(b.Text, s), '"')
}
