package query

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// kind is a kind of token. What is one byte is its own kind, such as '('.
type kind byte

const (
	end kind = iota + 128
	size
	number
	term
	stopWord // in dialect 1; from 2 on, the parser knows them
	as
	isMissing
	exact // a text in double quotes
	modifier
	attribute // $name
	prefix
	suffix
	infix
	pattern  // w'...'
	verbatim // '...', which no query may have
	arrow
	equal
	notEqual
	less
	lessEqual
	greater
	greaterEqual
	skipped
)

// token is a part of a query. Those of a single byte have the text of the token before them, which
// is what errors show.
type token struct {
	kind  kind
	pos   int // where it begins, in bytes; that of a pattern behind its quote
	start int // where its text begins
	size  int
	value float64
	param bool // the text is the name of a parameter
	minus bool // a parameter counts negated
	mute  bool // errors show no text, as the last pattern before it was w'...' or had a parameter
}

// lexer takes a query apart. Of the tokens that begin at a place, the longest wins.
type lexer struct {
	raw     []byte
	at      int
	classic bool // dialect 1
	stops   func(word string) bool
	last    token   // which is no comparison
	queue   []token // a comparison is found as a whole, and is three tokens
	best    found
}

// found is the longest token at a place so far. It ends before to.
type found struct {
	kind   kind
	to     int
	quoted bool // the text is in quotes
}

// text returns the text of a token, up to a NUL byte.
func (l *lexer) text(t token) string {
	text, _, _ := bytes.Cut(l.raw[t.start:min(t.start+t.size, len(l.raw))], []byte{0})
	return string(text)
}

// affix returns the text of a word with a star, without escapes. A backslash at its end counts as
// one if what follows it makes it one.
func (l *lexer) affix(t token) string {
	text := unescaped(l.text(t) + string(rune(l.at8(t.start+t.size)&0x7f)))
	return text[:len(text)-1]
}

// next returns the next token. The last one's place is that of the end.
func (l *lexer) next() token {
	for l.at < len(l.raw) && len(l.queue) == 0 {
		from := l.at
		l.longest(from)
		l.at = l.best.to
		switch k := l.best.kind; {
		case k == skipped:
		case k >= equal:
			l.comparison(k, from)
		default:
			l.last = l.token(from)
			return l.last
		}
	}
	if len(l.queue) > 0 {
		t := l.queue[0]
		l.queue = l.queue[1:]
		return t
	}
	t := l.last
	t.kind = end
	return t
}

// longest finds the longest token at a place. What begins none, such as a comma, is skipped.
func (l *lexer) longest(from int) {
	c := l.at8(from)
	l.best = found{kind: skipped, to: from + 1}
	if strings.IndexByte("\"|(){}:;-~*%[]", c) >= 0 {
		l.best.kind = kind(c)
	}
	switch c {
	case '@':
		l.modifiers(from)
	case '$':
		l.parameters(from)
	case '=':
		l.consider(arrow, l.literal(from, "=>"))
	case '*':
		l.afterStar(from + 1)
	case '"', '\'':
		l.quotes(from)
	}
	l.words(from)
}

// consider takes a token that is longer than the best. Those before win against equal ones.
func (l *lexer) consider(k kind, to int) {
	if to > l.best.to || to == l.best.to && l.best.kind == skipped {
		l.best = found{kind: k, to: to}
	}
}

func (l *lexer) considerQuoted(k kind, to int) {
	l.consider(k, to)
	l.best.quoted = l.best.quoted || l.best.kind == k && l.best.to == to
}

// words considers numbers and words, also those with a star behind.
func (l *lexer) words(from int) {
	number1, word := l.number(from), l.word(from)
	if c := l.at8(from); isSpace(c) {
		return
	}
	if l.classic {
		l.consider(number, number1)
		l.consider(number, l.infinity(from))
	} else {
		l.consider(size, l.digits(from))
		l.consider(number, number1)
		l.consider(as, l.fold(from, "as"))
		l.consider(number, l.infinity(from))
		l.consider(isMissing, l.fold(from, "ismissing"))
		if l.at8(from) == 'w' && l.at8(from+1) == '\'' {
			l.consider(pattern, l.singleQuoted(from+1))
		}
	}
	l.consider(term, word)
	l.consider(prefix, l.star(word))
	l.consider(prefix, l.star(number1))
}

func (l *lexer) parameters(from int) {
	name := l.wordBehind(from)
	l.consider(attribute, name)
	if !l.classic {
		l.consider(prefix, l.star(name))
	}
}

// afterStar considers *suffix and *infix*.
func (l *lexer) afterStar(from int) {
	ends := [...]int{l.word(from), l.number(from), -1}
	if l.at8(from) == '$' && !l.classic {
		ends[2] = l.wordBehind(from)
	}
	for _, to := range ends {
		l.consider(suffix, to)
		l.consider(infix, l.star(to))
	}
	if l.at8(from) == '"' && !l.classic {
		to, starred := l.doubleQuoted(from)
		l.considerQuoted(suffix, to)
		l.considerQuoted(infix, starred)
	}
}

func (l *lexer) quotes(from int) {
	if l.classic {
		return
	}
	if l.at8(from) == '\'' {
		l.considerQuoted(term, l.literal(from, "''"))
		l.consider(verbatim, l.singleQuoted(from))
		return
	}
	to, starred := l.doubleQuoted(from)
	l.considerQuoted(term, l.literal(from, `""`))
	l.consider(exact, to)
	l.considerQuoted(prefix, starred)
}

// modifiers considers @name, and, from dialect 2 on, comparisons such as @name>=5.
func (l *lexer) modifiers(from int) {
	name := l.wordBehind(from)
	l.consider(modifier, name)
	if name < 0 || l.classic {
		return
	}
	operator := l.spaces(name)
	for k := equal; k <= greaterEqual; k++ {
		if to := l.literal(operator, operators[k]); to >= 0 {
			l.consider(k, l.operand(l.spaces(to)))
		}
	}
}

var operators = map[kind]string{
	equal: "==", notEqual: "!=", less: "<", lessEqual: "<=", greater: ">", greaterEqual: ">="}

// operand returns where the right side of a comparison ends: a number or parameter.
func (l *lexer) operand(from int) int {
	name := from
	if c := l.at8(from); c == '+' || c == '-' {
		name++
	}
	to := -1
	if l.at8(name) == '$' {
		to = l.wordBehind(name)
	}
	return max(to, l.number(from), l.infinity(from))
}

// token returns the best token, which begins at from.
func (l *lexer) token(from int) token {
	t := l.last
	t.kind, t.pos = l.best.kind, from
	if t.kind < end {
		return t
	}
	t.start, t.size = l.inner(from)
	t.param = l.parameterIn(t)
	if t.param {
		t.start++
		t.size--
	}
	return l.finish(t)
}

// inner returns where the text of the best token lies: without the marks around it.
func (l *lexer) inner(from int) (start, size int) {
	left, right := 0, 0
	switch l.best.kind {
	case modifier, attribute:
		left = 1
	case arrow: // one byte late, as RediSearch has it
		left, right = 1, -1
	case exact:
		left, right = 1, 1
	case prefix:
		right = 1
	case suffix:
		left = 1
	case infix:
		left, right = 1, 1
	case verbatim:
		left, right = 1, 1
	case pattern:
		left, right = 2, 1
	}
	if l.best.quoted {
		left, right = left+1, right+1
	}
	return from + left, l.best.to - right - from - left
}

// parameterIn tells whether a token with marks has a parameter in them.
func (l *lexer) parameterIn(t token) bool {
	switch t.kind {
	case verbatim: // one byte late, as RediSearch has it
		return l.at8(t.start+1) == '$'
	case prefix, suffix, infix, pattern:
		return !l.best.quoted && !l.classic && l.at8(t.start) == '$'
	}
	return false
}

func (l *lexer) finish(t token) token {
	switch t.kind {
	case size, number:
		t.value = parseFloat(l.text(t))
	case prefix, suffix, infix, verbatim:
		t.mute = t.param
	case pattern:
		t.pos += 2
		t.mute = true
	case term:
		if l.classic && l.stops(l.text(t)) {
			t.kind = stopWord
		}
	}
	return t
}

// comparison puts the field, the operator and the operand of a comparison into the queue.
func (l *lexer) comparison(k kind, from int) {
	t, op := l.last, operators[k]
	t.kind, t.pos, t.start = modifier, from, from+1
	middle := t.start + bytes.IndexByte(l.raw[t.start:], op[0])
	t.size = l.unspaced(t.start, middle) - t.start
	l.queue = append(l.queue, t)
	t.kind, t.start, t.size = k, middle, len(op)
	l.queue = append(l.queue, t)
	l.queue = append(l.queue, l.operandToken(t, l.spaces(middle+len(op))))
}

// operandToken returns the right side of a comparison. Its text has one byte too many, as in
// RediSearch, where a parameter's name has, too, unless that is a space.
func (l *lexer) operandToken(t token, from int) token {
	if c := l.at8(from); (c == '+' || c == '-') && l.at8(from+1) == '$' {
		t.minus = c == '-'
		from++
	}
	if l.at8(from) != '$' {
		t.kind, t.start, t.size = number, from, l.at-from+1
		t.value = parseFloat(string(l.raw[from:l.at]))
		return t
	}
	t.kind, t.start, t.size = attribute, from+1, l.at-from
	for isSpace(l.at8(t.start + t.size - 1)) {
		t.size--
	}
	return t
}

// unspaced returns where a field's name ends: before a space that no backslash precedes.
func (l *lexer) unspaced(from, to int) int {
	escaped := l.raw[from] == '\\'
	for i := from + 1; i < to; i++ {
		if isSpace(l.raw[i]) && !escaped {
			return i
		}
		escaped = !escaped && l.raw[i] == '\\'
	}
	return to
}

// at8 returns a byte, or 0 behind the end.
func (l *lexer) at8(i int) byte {
	if i < 0 || i >= len(l.raw) {
		return 0
	}
	return l.raw[i]
}

// The methods below return where something ends that begins at from, or -1 if it does not.

func (l *lexer) literal(from int, text string) int {
	if bytes.HasPrefix(l.raw[min(from, len(l.raw)):], []byte(text)) {
		return from + len(text)
	}
	return -1
}

func (l *lexer) fold(from int, word string) int {
	to := from + len(word)
	if to <= len(l.raw) && strings.EqualFold(string(l.raw[from:to]), word) {
		return to
	}
	return -1
}

func (l *lexer) digits(from int) int {
	to := from
	for isDigit(l.at8(to)) {
		to++
	}
	if to == from {
		return -1
	}
	return to
}

// number finds digits with an optional sign, decimals and exponent.
func (l *lexer) number(from int) int {
	if c := l.at8(from); c == '-' || c == '+' && !l.classic {
		from++
	}
	to := l.digits(from)
	if to < 0 {
		return -1
	}
	if l.at8(to) == '.' {
		to = max(to, l.digits(to+1))
	}
	if l.at8(to)|0x20 == 'e' {
		exponent := to + 1
		if c := l.at8(exponent); c == '-' || !l.classic && (c == '+' || c == '\'') {
			exponent++
		}
		to = max(to, l.digits(exponent))
	}
	return to
}

func (l *lexer) infinity(from int) int {
	if !l.classic {
		if c := l.at8(from); c == '+' || c == '-' {
			from++
		}
		return l.fold(from, "inf")
	}
	if c := l.at8(from); c == '+' || c == '-' || c == '\'' {
		from++
	}
	return l.literal(from, "inf")
}

// word finds bytes that are no punctuation, space or control, and escapes.
func (l *lexer) word(from int) int {
	to := from
	for to < len(l.raw) {
		switch c := l.raw[to]; {
		case c == '\\' && to+1 < len(l.raw) && escapes(l.raw[to+1]):
			to += 2
		case isWord(c):
			to++
		default:
			return orNone(from, to)
		}
	}
	return orNone(from, to)
}

func orNone(from, to int) int {
	if to == from {
		return -1
	}
	return to
}

// wordBehind finds a word behind the byte at from.
func (l *lexer) wordBehind(from int) int { return l.word(from + 1) }

// star finds a star at the end of something else.
func (l *lexer) star(to int) int {
	if to >= 0 && l.at8(to) == '*' {
		return to + 1
	}
	return -1
}

func (l *lexer) spaces(from int) int {
	for isSpace(l.at8(from)) {
		from++
	}
	return from
}

// doubleQuoted finds a text in double quotes, and one with a star behind. A quote behind a
// backslash ends the text, too, unless a later one does.
func (l *lexer) doubleQuoted(from int) (to, starred int) {
	to, starred = -1, -1
	for i := from + 2; i < len(l.raw) && l.raw[from+1] != '"'; i++ {
		if l.raw[i] != '"' {
			continue
		}
		to = i + 1
		starred = max(starred, l.star(to))
		if l.raw[i-1] != '\\' {
			break
		}
	}
	return to, starred
}

func (l *lexer) singleQuoted(from int) int {
	for i := from + 1; i < len(l.raw); i++ {
		switch {
		case l.raw[i] == '\\':
			i++
		case l.raw[i] == '\'' && i > from+1:
			return i + 1
		case l.raw[i] == '\'':
			return -1
		}
	}
	return -1
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z')
}

// isWord tells whether a byte is part of words.
func isWord(c byte) bool { return c == '_' || c > ' ' && c != 0x7f && !isPunct(c) }

// escapes tells whether a backslash before a byte is an escape.
func escapes(c byte) bool { return isPunct(c) || isSpace(c) }

// parseFloat returns the value of a number as C reads it: one too large is infinite, and what
// follows the digits does not count.
func parseFloat(text string) float64 {
	if f, ok := resp.ParseFloat([]byte(text)); ok {
		return f
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		digits, _, _ := strings.Cut(text, "e")
		f, _ = strconv.ParseFloat(digits, 64)
	}
	return f
}
