package json

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how deep values of a text may be nested, as in RedisJSON.
const MaxDepth = 128

// MaxLevels is how deep values of a document may be nested, where a text was put into another one
// or a payload was read. RedisJSON has no such limit but its stack.
const MaxLevels = 4096

// largeText is the length from which on a text is expected to make a large document. A shorter one
// takes at most 5/2 of its length packed, which is less than a container may have outside of a
// tree.
const largeText = smallBytes + smallBytes/2

// A SyntaxError is what is wrong with a text, in the words of Rust's serde_json, which RedisJSON
// uses.
type SyntaxError struct {
	what         string
	line, column int // of the last byte that was read; from 1 on
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s at line %d column %d", e.what, e.line, e.column)
}

// notUTF8 is the error of a text that is none.
type notUTF8 struct{}

func (notUTF8) Error() string { return "Couldn't parse as UTF-8 string" }

// ErrNotUTF8 is the error of a text that is not UTF-8.
var ErrNotUTF8 error = notUTF8{}

// Parser makes documents of texts. Its memory is used again for the next one. The zero value is
// ready for use.
type Parser struct {
	Levels int    // of which a value may consist is one less; 0 for MaxDepth
	Floats Floats // of arrays
	builder
	text   []byte
	at     int // of the next byte
	depth  int
	string []byte // scratch for a text that has escapes
	known  []byte // scratch for the names of a small document
	err    *SyntaxError
}

// keptScratch is how many bytes of scratch a Parser keeps.
const keptScratch = 64 << 10

// Parse returns the document of a JSON text, and how many bytes of the text it is: what follows is
// not looked at. The error is a *SyntaxError, or ErrNotUTF8. O(bytes).
func (p *Parser) Parse(text []byte) (d *Doc, n int, err error) {
	d = new(Doc)
	if n, err = p.Into(d, text); err != nil {
		return nil, n, err
	}
	return d, n, nil
}

// Into is Parse for a document of which nothing is needed any more: its memory is used again.
func (p *Parser) Into(d *Doc, text []byte) (n int, err error) {
	if !utf8.Valid(text) {
		return 0, ErrNotUTF8
	}
	if d.tree != nil {
		d.tree.releaseAll()
	}
	if *d = (Doc{packed: d.packed[:0], names: names{b: p.known[:0]}}); len(text) > largeText {
		d.newTree(nil)
	}
	p.start(d)
	p.text, p.at, p.depth, p.err = text, 0, 0, nil
	p.value()
	p.text = nil
	if p.err != nil {
		p.trim()
		return p.at, p.err
	}
	if d.tree == nil {
		p.known = d.names.b
	}
	p.finish(d)
	d.shrink()
	p.trim()
	return p.at, nil
}

// RequireEnd returns the error of a text of which n bytes are a value, if more than white space
// follows.
func RequireEnd(text []byte, n int) error {
	p := Parser{text: text, at: n}
	if p.peek(); p.ended() {
		return nil
	}
	p.fail("trailing characters", true)
	return p.err
}

// trim frees what only a large text needed.
func (p *Parser) trim() {
	if cap(p.b) > keptScratch {
		p.b = nil
	}
	if cap(p.string) > keptScratch {
		p.string = nil
	}
}

// fail latches an error that was found before the byte at p.at, or if peeked at it.
func (p *Parser) fail(what string, peeked bool) {
	if p.err != nil {
		return
	}
	end := p.at
	if peeked {
		end = min(end+1, len(p.text))
	}
	read := p.text[:end]
	p.err = &SyntaxError{what, 1 + bytes.Count(read, []byte{'\n'}), end - 1 - bytes.LastIndexByte(read, '\n')}
}

// The errors of more than one place.
const (
	eofValue  = "EOF while parsing a value"
	eofString = "EOF while parsing a string"

	controlInString = "control character (\\u0000-\\u001F) found while parsing a string"
	badNumber       = "invalid number"
	badEscape       = "invalid escape"
	lone            = "lone leading surrogate in hex escape"
)

// peek skips white space and returns the byte that follows; 0 at the end.
func (p *Parser) peek() byte {
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case ' ', '\n', '\t', '\r':
		default:
			return c
		}
	}
	return 0
}

// ended reports whether all of the text was read.
func (p *Parser) ended() bool { return p.at == len(p.text) }

// wants latches an error about the next byte, or another one if there is none.
func (p *Parser) wants(what, atEnd string) {
	if p.ended() {
		what = atEnd
	}
	p.fail(what, true)
}

// value reads a value and packs it.
func (p *Parser) value() {
	switch c := p.peek(); {
	case c == '"':
		p.at++
		if t, ok := p.readString(); ok {
			p.builder.text(t)
		}
	case c == '{':
		p.object()
	case c == '[':
		p.array()
	case c == '-' || c >= '0' && c <= '9':
		p.number()
	case c == 't':
		p.word("true", tagTrue)
	case c == 'f':
		p.word("false", tagFalse)
	case c == 'n':
		p.word("null", tagNull)
	default:
		p.wants("expected value", eofValue)
	}
}

// word reads a word whose first letter is there.
func (p *Parser) word(word string, tag byte) {
	for i := range word {
		if p.ended() {
			p.fail(eofValue, false)
			return
		}
		p.at++
		if p.text[p.at-1] != word[i] {
			p.fail("expected ident", false)
			return
		}
	}
	p.b = append(p.b, tag)
	p.done()
}

// enter goes into a container, if it is not nested too deeply.
func (p *Parser) enter(object bool) bool {
	if p.depth++; p.depth >= cmp.Or(p.Levels, MaxDepth) {
		p.fail("recursion limit exceeded", true)
		return false
	}
	p.at++
	p.begin(object)
	return true
}

// leave goes out of a container, whose last byte is next.
func (p *Parser) leave() {
	p.at++
	p.depth--
	p.end()
}

func (p *Parser) array() {
	if !p.enter(false) {
		return
	}
	for first := true; p.err == nil; first = false {
		c := p.peek()
		switch {
		case c == ']':
			p.leave()
			return
		case first:
			if p.ended() {
				p.fail("EOF while parsing a list", true)
				return
			}
		case c != ',':
			p.wants("expected `,` or `]`", "EOF while parsing a list")
			return
		default:
			p.at++
			if p.peek() == ']' {
				p.fail("trailing comma", true)
				return
			}
		}
		p.element()
	}
}

func (p *Parser) object() {
	if !p.enter(true) {
		return
	}
	for first := true; p.err == nil; first = false {
		c := p.peek()
		switch {
		case c == '}':
			p.leave()
			return
		case first:
			if p.ended() {
				p.fail("EOF while parsing an object", true)
				return
			}
		case c != ',':
			p.wants("expected `,` or `}`", "EOF while parsing an object")
			return
		default:
			p.at++
			if c = p.peek(); c == '}' {
				p.fail("trailing comma", true)
				return
			}
		}
		if c != '"' {
			p.wants("key must be a string", eofValue)
			return
		}
		p.member()
	}
}

// member reads a member, whose name is next.
func (p *Parser) member() {
	p.at++
	name, ok := p.readString()
	if !ok {
		return
	}
	p.name(name)
	if p.peek() != ':' {
		p.wants("expected `:`", "EOF while parsing an object")
		return
	}
	p.at++
	p.value()
}

// readString reads a string behind its first quotation mark. It aliases the text, or the scratch.
func (p *Parser) readString() (t []byte, ok bool) {
	from := p.at
	p.at += plain(p.text[from:])
	if p.ended() {
		p.fail(eofString, false)
		return nil, false
	}
	p.at++
	switch p.text[p.at-1] {
	case '"':
		return p.text[from : p.at-1], true
	case '\\':
		p.at--
		p.string = append(p.string[:0], p.text[from:p.at]...)
		return p.readEscaped()
	}
	p.fail(controlInString, false)
	return nil, false
}

// readEscaped is readString from the first escape on; what was before is in the scratch.
func (p *Parser) readEscaped() (t []byte, ok bool) {
	for {
		n := plain(p.text[p.at:])
		p.string = append(p.string, p.text[p.at:p.at+n]...)
		if p.at += n; p.ended() {
			p.fail(eofString, false)
			return nil, false
		}
		p.at++
		switch p.text[p.at-1] {
		case '"':
			return p.string, true
		case '\\':
			if !p.escape() {
				return nil, false
			}
		default:
			p.fail(controlInString, false)
			return nil, false
		}
	}
}

// escape reads what follows a backslash.
func (p *Parser) escape() bool {
	if p.ended() {
		p.fail(eofString, false)
		return false
	}
	c := p.text[p.at]
	p.at++
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return p.unicode()
	default:
		p.fail(badEscape, false)
		return false
	}
	p.string = append(p.string, c)
	return true
}

// unicode reads the digits of an escape, and those of a second one after the first half of a pair.
func (p *Parser) unicode() bool {
	r, ok := p.hex()
	switch {
	case !ok:
		return false
	case r >= 0xdc00 && r <= 0xdfff:
		p.fail(lone, false)
		return false
	case r >= 0xd800 && r <= 0xdbff:
		for _, want := range []byte(`\u`) {
			if p.ended() {
				p.fail(eofString, false)
				return false
			}
			p.at++
			if p.text[p.at-1] != want {
				p.fail("unexpected end of hex escape", false)
				return false
			}
		}
		low, ok := p.hex()
		if !ok {
			return false
		}
		if low < 0xdc00 || low > 0xdfff {
			p.fail(lone, false)
			return false
		}
		r = 0x10000 + (r-0xd800)<<10 + (low - 0xdc00)
	}
	p.string = utf8.AppendRune(p.string, r)
	return true
}

// hex reads four hexadecimal digits.
func (p *Parser) hex() (r rune, ok bool) {
	if p.at+4 > len(p.text) {
		p.at = len(p.text)
		p.fail(eofString, false)
		return 0, false
	}
	for range 4 {
		c := p.text[p.at]
		p.at++
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			p.fail(badEscape, false)
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// number reads a number: an integer if it has neither fraction nor exponent, and 64 bits are enough
// for it.
func (p *Parser) number() {
	from := p.at
	negative := p.text[p.at] == '-'
	if negative {
		p.at++
	}
	digits := p.at
	if !p.integer() {
		return
	}
	whole := p.digit(0) != '.' && p.digit(0)|0x20 != 'e'
	if whole && p.at-digits <= 18 {
		n := int64(0)
		for _, c := range p.text[digits:p.at] {
			n = n*10 + int64(c-'0')
		}
		switch {
		case !negative:
			p.b = appendInt(p.b, n)
		case n == 0:
			p.b = appendDouble(p.b, math.Copysign(0, -1))
		default:
			p.b = appendInt(p.b, -n)
		}
		p.done()
		return
	}
	point := p.at
	if !p.fraction() {
		return
	}
	if p.decimal(p.text[digits:p.at], point-digits, negative) {
		p.done()
		return
	}
	if !p.exponent() {
		return
	}
	p.long(string(p.text[from:p.at]), whole)
}

// decimal packs a number of few digits, of which so many are before the point, unless an exponent
// follows. ok is false if it does not.
func (p *Parser) decimal(digits []byte, before int, negative bool) (ok bool) {
	scale := len(digits) - before - 1
	if scale < 1 || scale > maxScale || before > 9 || p.digit(0)|0x20 == 'e' {
		return false
	}
	n := int64(0)
	for i, c := range digits {
		if i != before {
			n = n*10 + int64(c-'0')
		}
	}
	switch {
	case n == 0 && negative:
		return false
	case negative:
		n = -n
	}
	p.b, ok = appendDecimal(p.b, n, scale)
	return ok
}

// digit returns the byte i places on; 0 past the end.
func (p *Parser) digit(i int) byte {
	if p.at+i >= len(p.text) {
		return 0
	}
	return p.text[p.at+i]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// integer reads the digits before the point.
func (p *Parser) integer() bool {
	c := p.digit(0)
	if !isDigit(c) {
		if p.ended() {
			p.fail(eofValue, false)
			return false
		}
		p.at++
		p.fail(badNumber, false)
		return false
	}
	p.at++
	if c == '0' {
		if isDigit(p.digit(0)) {
			p.fail(badNumber, true)
			return false
		}
		return true
	}
	for isDigit(p.digit(0)) {
		p.at++
	}
	return true
}

// fraction reads the point and the digits behind it, if they are there.
func (p *Parser) fraction() bool {
	if p.digit(0) != '.' {
		return true
	}
	p.at++
	if !isDigit(p.digit(0)) {
		p.wants(badNumber, eofValue)
		return false
	}
	for isDigit(p.digit(0)) {
		p.at++
	}
	return true
}

// exponent reads an exponent, if there is one.
func (p *Parser) exponent() bool {
	if p.digit(0)|0x20 != 'e' {
		return true
	}
	p.at++
	if c := p.digit(0); c == '+' || c == '-' {
		p.at++
	}
	if p.ended() {
		p.fail(eofValue, false)
		return false
	}
	p.at++
	if !isDigit(p.text[p.at-1]) {
		p.fail(badNumber, false)
		return false
	}
	for isDigit(p.digit(0)) {
		p.at++
	}
	return true
}

// long packs a number that has many digits, a fraction or an exponent.
func (p *Parser) long(digits string, whole bool) {
	if whole && digits[0] == '-' {
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			p.b = appendInt(p.b, n)
			p.done()
			return
		}
	} else if whole {
		if n, err := strconv.ParseUint(digits, 10, 64); err == nil {
			p.b = appendUint(p.b, n)
			p.done()
			return
		}
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		p.fail("number out of range", false)
		return
	}
	p.b = appendDouble(p.b, f)
	p.done()
}
