package syntax

import (
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// lexer cuts source text into tokens, with the errors of Lua 5.1.
type lexer struct {
	meter  number.Meter // nil counts nothing
	source string
	chunk  string // as messages name it
	pos    int    // of the next character
	start  int    // of the token last read
	line   int    // of the character last read
	text   []byte // the token last read, as messages quote it
	read   meaning
}

// meaning is what a token carries: the bytes of a name or string, the value of a number.
type meaning struct {
	str    string
	number float64
}

// workOfToken is what the compilation of one token counts, about.
const workOfToken = 8

// count counts a token.
func (x *lexer) count() {
	if x.meter != nil {
		x.meter.Tick(workOfToken)
	}
}

// manyBytes is how many bytes of one token, comment or blank tick counts at a time.
const manyBytes = 1 << 12

// tick counts the byte at pos.
func (x *lexer) tick() {
	if x.pos&(manyBytes-1) == manyBytes-1 && x.meter != nil {
		x.meter.Tick(manyBytes)
	}
}

// endOfSource is what peek answers behind the last character.
const endOfSource = -1

// peek returns the next character, or endOfSource.
func (x *lexer) peek() int {
	if x.pos < len(x.source) {
		return int(x.source[x.pos])
	}
	return endOfSource
}

// save moves the next character into the token's text.
func (x *lexer) save() {
	x.tick()
	x.text = append(x.text, x.source[x.pos])
	x.pos++
}

// accept saves the next character if it is one of set, or a zero byte: C Lua finds that behind the
// last one of any set. So 1\0x is a number and .\0 joins strings.
func (x *lexer) accept(set string) bool {
	c := x.peek()
	if c == endOfSource || c != 0 && strings.IndexByte(set, byte(c)) < 0 {
		return false
	}
	x.save()
	return true
}

// fail throws a message at the current line, with the token it is near to.
func (x *lexer) fail(problem string, near string) {
	near, _, _ = strings.Cut(near, "\x00") // as C's printf shows it
	x.failPlain(problem + " near '" + near + "'")
}

// failPlain throws a message at the current line.
func (x *lexer) failPlain(problem string) {
	panic(Error(Position(x.chunk, x.line) + problem))
}

func isNewline(c int) bool { return c == '\n' || c == '\r' }

func isLetter(c int) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

func isDigit(c int) bool { return c >= '0' && c <= '9' }

// newline skips \n, \r, \n\r or \r\n.
func (x *lexer) newline() {
	first := x.peek()
	x.pos++
	if c := x.peek(); isNewline(c) && c != first {
		x.pos++
	}
	x.line++
}

// next reads a token.
func (x *lexer) next() token {
	x.text = x.text[:0]
	x.count()
	for {
		c := x.peek()
		switch c {
		case '\n', '\r':
			x.tick()
			x.newline()
		case ' ', '\t', '\v', '\f':
			x.tick()
			x.pos++
		case '-':
			x.start = x.pos
			x.pos++
			if x.peek() != '-' {
				return '-'
			}
			x.pos++
			x.comment()
		case endOfSource:
			x.start = x.pos
			return tokenEOF
		default:
			x.start = x.pos
			return x.token(c)
		}
	}
}

// token reads a token that starts with c.
func (x *lexer) token(c int) token {
	switch c {
	case '[':
		return x.bracket()
	case '=':
		return x.pair('=', tokenEqual)
	case '<':
		return x.pair('=', tokenLessEqual)
	case '>':
		return x.pair('=', tokenGreaterEqual)
	case '~':
		return x.pair('=', tokenNotEqual)
	case '"', '\'':
		x.quoted(c)
		return tokenString
	case '.':
		return x.dots()
	}
	switch {
	case isDigit(c):
		return x.numeral()
	case isLetter(c):
		return x.name()
	}
	x.pos++
	return token(c)
}

// pair reads the next character and, if second follows, that too.
func (x *lexer) pair(second int, both token) token {
	first := x.peek()
	x.pos++
	if x.peek() != second {
		return token(first)
	}
	x.pos++
	return both
}

// dots reads a token that starts with a point: . .. ... or a number.
func (x *lexer) dots() token {
	x.save()
	switch {
	case x.accept("."):
		if x.accept(".") {
			return tokenDots
		}
		return tokenConcat
	case isDigit(x.peek()):
		return x.numeral()
	}
	return '.'
}

// name reads a name or a reserved word. read.str is part of the source: the compiler clones what it
// keeps.
func (x *lexer) name() token {
	start := x.pos
	for c := x.peek(); isLetter(c) || isDigit(c); c = x.peek() {
		x.pos++
	}
	x.read.str = x.source[start:x.pos]
	x.text = append(x.text, x.read.str...)
	return reservedWord(x.read.str)
}

// numeral reads a number. It takes every letter and digit in reach before it asks whether that is a
// number, as C Lua does, so 3x is one malformed token and not two.
func (x *lexer) numeral() token {
	for c := x.peek(); isDigit(c) || c == '.'; c = x.peek() { // 1..2 is malformed, and not 1 .. 2
		x.save()
	}
	if x.accept("Ee") {
		x.accept("+-")
	}
	for c := x.peek(); isLetter(c) || isDigit(c); c = x.peek() {
		x.save()
	}
	f, ok := number.Parse(x.meter, string(x.text))
	if !ok {
		x.fail("malformed number", string(x.text))
	}
	x.read.number = f
	return tokenNumber
}

// comment skips what follows --.
func (x *lexer) comment() {
	if x.peek() == '[' { // --[ and --[= without a second bracket begin a comment of one line
		if level := x.separator(); level >= 0 {
			x.long(level, "unfinished long comment")
			x.text = x.text[:0]
			return
		}
		x.text = x.text[:0]
	}
	for c := x.peek(); !isNewline(c) && c != endOfSource; c = x.peek() {
		x.tick()
		x.pos++
	}
}

// bracket reads [ or a long string.
func (x *lexer) bracket() token {
	level := x.separator()
	if level >= 0 {
		x.long(level, "unfinished long string")
		return tokenString
	}
	if level < -1 {
		x.fail("invalid long string delimiter", string(x.text))
	}
	return '['
}

// separator reads [==, or ]==, and returns the number of =; if the bracket does not follow again,
// -1 minus that number.
func (x *lexer) separator() int {
	first := x.peek()
	x.save()
	level := 0
	for x.peek() == '=' {
		x.save()
		level++
	}
	if x.peek() == first {
		return level
	}
	return -1 - level
}

// long reads a long string or comment up to its closing bracket. Another [[ in it means nothing:
// lua5.1 refuses that for the sake of older programs, Redis does not.
func (x *lexer) long(level int, unfinished string) {
	x.save()
	if isNewline(x.peek()) {
		x.newline()
	}
	start := len(x.text)
	for {
		switch c := x.peek(); c {
		case endOfSource:
			x.fail(unfinished, tokenEOF.String())
		case ']':
			if x.separator() == level {
				x.save()
				x.read.str = string(x.text[start : len(x.text)-level-2])
				return
			}
		case '\n', '\r':
			x.text = append(x.text, '\n')
			x.newline()
		default:
			x.save()
		}
	}
}

// quoted reads a string up to its closing quote.
func (x *lexer) quoted(quote int) {
	x.save()
	for x.peek() != quote {
		switch x.peek() {
		case endOfSource:
			x.fail("unfinished string", tokenEOF.String())
		case '\n', '\r':
			x.fail("unfinished string", string(x.text))
		case '\\':
			x.pos++
			x.escape()
		default:
			x.save()
		}
	}
	x.save()
	x.read.str = string(x.text[1 : len(x.text)-1])
}

// escape reads what follows a backslash.
func (x *lexer) escape() {
	c := x.peek()
	if i := strings.IndexByte("abfnrtv", byte(c)); i >= 0 && c >= 0 {
		x.text = append(x.text, "\a\b\f\n\r\t\v"[i])
		x.pos++
		return
	}
	switch {
	case isNewline(c):
		x.text = append(x.text, '\n')
		x.newline()
	case c == endOfSource: // quoted complains
	case !isDigit(c):
		x.save()
	default:
		start := x.pos
		for x.pos < start+3 && isDigit(x.peek()) {
			x.pos++
		}
		n, _ := strconv.Atoi(x.source[start:x.pos])
		if n > 255 {
			x.fail("escape sequence too large", string(x.text))
		}
		x.text = append(x.text, byte(n))
	}
}
