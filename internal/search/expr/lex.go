package expr

import (
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
)

// kind is the kind of a token. Those of operators are their operators.
type kind byte

const (
	end kind = iota
	opening
	closing
	comma
	not
	number
	text
	name   // @name
	symbol // of a function, or NULL
	firstOperator
)

// operator is an operator between two expressions.
type operator = kind

const (
	and operator = firstOperator + iota
	or
	equal
	unequal
	less
	lessOrEqual
	greater
	greaterOrEqual
	plus
	minus
	times
	divide
	modulo
	power
)

func (o operator) isArithmetic() bool { return o >= plus }

// String returns how an operator is written.
func (o operator) String() string {
	return [...]string{"&&", "||", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "^"}[o-firstOperator]
}

// precedence of an operator, 1 to 4; 0 if it is none.
func (o operator) precedence() int {
	switch {
	case o >= times:
		return 4
	case o >= plus:
		return 3
	case o >= equal:
		return 2
	case o >= and:
		return 1
	}
	return 0
}

// signs are the tokens of fixed text, the longer ones first.
var signs = []struct {
	text string
	kind kind
}{{"&&", and}, {"||", or}, {"==", equal}, {"!=", unequal}, {"<=", lessOrEqual}, {">=", greaterOrEqual}, {"<", less},
	{">", greater}, {"!", not}, {"(", opening}, {")", closing}, {",", comma}, {"+", plus}, {"-", minus}, {"*", times},
	{"/", divide}, {"%", modulo}, {"^", power}}

// token is a token, where it is.
type token struct {
	kind   kind
	at     int
	text   string // of a text with its quotes, of a name without @
	number float64
}

// lexer reads tokens. Other signs and blanks are skipped, and a letter beyond ASCII ends the text,
// unless it is in a text or a name.
type lexer struct {
	source string
	at     int
	last   token // the one that was read
	shown  string
}

// next reads the next token. At the end it has the place of the one before.
func (l *lexer) next() token {
	for l.at < len(l.source) && l.source[l.at] < 0x80 {
		if t, size := l.token(l.source[l.at:]); size > 0 {
			t.at = l.at
			l.at += size
			if t.kind >= number && t.kind <= symbol {
				l.shown = t.text
			}
			l.last = t
			return t
		}
		l.at++
	}
	l.at = len(l.source)
	l.last.kind = end
	return l.last
}

// token returns the token at the begin of a text, and its length there; 0 if there is none.
func (l *lexer) token(s string) (t token, size int) {
	switch c := s[0]; {
	case c == '@':
		if size = 1 + nameLength(s[1:]); size == 1 {
			return t, 0
		}
		return token{kind: name, text: s[1:size]}, size
	case c == '"' || c == '\'':
		size = quotedLength(s)
		return token{kind: text, text: s[:size]}, size
	case isLetter(c):
		for size < len(s) && (isLetter(s[size]) || isDigit(s[size]) || s[size] == '_') {
			size++
		}
		return token{kind: symbol, text: s[:size]}, size
	}
	if size = numberLength(s); size > 0 {
		f, _ := strconv.ParseFloat(s[:size], 64) // infinite or 0 if it is out of range
		return token{kind: number, text: s[:size], number: f}, size
	}
	for _, sign := range signs {
		if strings.HasPrefix(s, sign.text) {
			return token{kind: sign.kind}, len(sign.text)
		}
	}
	return t, 0
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isSpace(c byte) bool  { return c == ' ' || '\t' <= c && c <= '\r' }
func isPunct(c byte) bool  { return ' ' < c && c < 0x7f && !isLetter(c) && !isDigit(c) }

// nameLength returns how long the name at the begin of a text is. Signs in it are escaped.
func nameLength(s string) (n int) {
	for n < len(s) {
		switch c := s[n]; {
		case isLetter(c), isDigit(c), c == '_', c >= 0x80:
			n++
		case c == '\\' && n+1 < len(s) && (isPunct(s[n+1]) || isSpace(s[n+1])):
			n += 2
		default:
			return n
		}
	}
	return n
}

// quotedLength returns how long the text in quotes is at the begin of s; 0 if it does not end. A
// quote behind a backslash ends it only if no other one does.
func quotedLength(s string) (n int) {
	for i := 1; i < len(s); i++ {
		escaped := s[i-1] == '\\' && i > 1
		switch {
		case s[i] == s[0]:
			n = i + 1
			if !escaped {
				return n
			}
		case s[i] == '\n' && !escaped:
			return n
		}
	}
	return n
}

// unquoted returns the text in quotes, up to a zero. A backslash before a sign or a blank goes,
// also one that another one has escaped.
func unquoted(quoted string) string {
	inside := quoted[1 : len(quoted)-1]
	b := make([]byte, 0, len(inside))
	for i := range len(inside) {
		if c := inside[i]; c == 0 {
			break
		} else if c != '\\' || i+1 == len(inside) || !isPunct(inside[i+1]) && !isSpace(inside[i+1]) {
			b = append(b, c)
		}
	}
	return string(b)
}

// numberLength returns how long the number at the begin of a text is.
func numberLength(s string) (n int) {
	if strings.HasPrefix(s, "-inf") || strings.HasPrefix(s, "+inf") {
		return len("-inf")
	}
	if s[0] == '-' {
		n = 1
	}
	digits := digitsAt(s, n)
	if digits == n {
		return 0
	}
	n = digits
	if n < len(s) && s[n] == '.' {
		if digits = digitsAt(s, n+1); digits > n+1 {
			n = digits
		}
	}
	if n < len(s) && s[n]|0x20 == 'e' {
		from := n + 1
		if from < len(s) && s[from] == '-' {
			from++
		}
		if digits = digitsAt(s, from); digits > from {
			n = digits
		}
	}
	return n
}

// digitsAt returns where the digits end that begin at i.
func digitsAt(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

// syntaxError is the error of a token that cannot be where it is. It shows the last token that has
// a text.
func (l *lexer) syntaxError() error {
	return command.Errorf("Syntax error at offset %d near '%s'", l.last.at, l.shown)
}
