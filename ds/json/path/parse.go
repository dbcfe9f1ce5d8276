package path

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/ds/json"
)

const (
	// MaxBytes is the length of the longest path.
	MaxBytes = 64 << 10
	// MaxNesting is how deep filters and parentheses may be nested.
	MaxNesting = 128
)

var (
	errLong = fmt.Errorf("path is longer than %d bytes", MaxBytes)
	errDeep = fmt.Errorf("path is nested deeper than %d levels", MaxNesting)
)

// Parse returns the path of a text, which it does not keep. The error has RedisJSON's words:
// json.ErrNotUTF8, or what was expected at the place up to which the text could be read. O(bytes).
func Parse(text []byte) (*Path, error) { return parseNarrow(text, false) }

func parseNarrow(text []byte, lists bool) (*Path, error) {
	switch {
	case len(text) > MaxBytes:
		return nil, errLong
	case !utf8.Valid(text):
		return nil, json.ErrNotUTF8
	}
	p := &Path{}
	p.text, p.legacy = jsonPath(text)
	x := parser{text: p.text, at: 1, lists: lists}
	steps := x.steps(false)
	if x.space(); x.at < len(x.text) {
		x.miss(wantEnd)
		return nil, x.error()
	}
	p.take(&x)
	p.follow(steps, x.last)
	return p, nil
}

// take takes over what a parser has counted.
func (p *Path) take(x *parser) {
	p.roots, p.patterns, p.size, p.lists = x.roots, x.patterns, x.size, x.lists
}

// follow gives the path its steps, and the name that was read last.
func (p *Path) follow(steps []step, last []byte) {
	p.steps, p.last, p.static = steps, last, true
	for i := range steps {
		p.static = p.static && steps[i].static()
	}
	p.named = p.static && len(steps) > 0 && steps[len(steps)-1].union[0].member
}

// jsonPath returns a copy of the path of JSONPath that a text stands for.
func jsonPath(text []byte) (path []byte, legacy bool) {
	switch {
	case len(text) > 0 && text[0] == '$' && (len(text) == 1 || text[1] == '.' || text[1] == '['):
		return bytes.Clone(text), false
	case string(text) == ".":
		return []byte("$"), true
	case len(text) > 0 && text[0] == '.':
		return slices.Concat([]byte("$"), text), true
	default:
		return slices.Concat([]byte("$."), text), true
	}
}

// want is a set of what may stand at a place, in the order of RedisJSON's errors.
type want uint32

const (
	wantEnd want = 1 << iota
	wantName
	wantStrings
	wantInteger
	wantSlice
	wantAll
	wantPositive
	wantTest
	wantDecimal
	wantCurrent
	wantRoot
	wantTrue
	wantFalse
	wantNull
	wantGE
	wantGT
	wantLE
	wantLT
	wantEQ
	wantNE
	wantRE
	wantAnd
	wantOr
	wantFirst
	wantScan

	wantTerm     = wantDecimal | wantCurrent | wantRoot | wantTrue | wantFalse | wantNull
	wantOperator = wantGE | wantGT | wantLE | wantLT | wantEQ | wantNE | wantRE
)

// wanted is how the errors call them.
var wanted = [...]string{"EOI", "<string>", "'<string>[,<string>,...]'", "'<number>'", "['start:end:steps']", "'*'",
	"pos_number", "single_filter", "decimal", "from_current", "from_root", "boolean_true", "boolean_false", "null",
	"ge", "gt", "le", "lt", "eq", "ne", "re", "and", "or", "root", "'..'"}

// parser reads a path. Its methods that return ok go behind what they read, or if ok is false stay
// where they were.
type parser struct {
	text []byte
	wide bool // it reads the wide language

	// A path in a filter stands for all values that it matches, and a filter on a scalar matches
	// nothing.
	lists bool
	// that has something in this text that the narrow one does not have
	expression bool
	at         int
	depth      int // of filters
	deep       bool
	last       []byte // the name that was read last, as it is written
	roots      int
	patterns   int
	size       int     // steps and tests that were read
	children   []child // of all unions that were read

	far  int  // the place furthest on at which something was missing
	want want // what was missing there
}

// miss notes what is missing at this place.
func (x *parser) miss(w want) { x.missAt(x.at, w) }

func (x *parser) missAt(at int, w want) {
	if at > x.far {
		x.far, x.want = at, 0
	}
	if at == x.far {
		x.want |= w
	}
}

// error returns why the path is none.
func (x *parser) error() error {
	if x.deep {
		return errDeep
	}
	var b strings.Builder
	fmt.Fprintf(&b, `Error occurred on position %d, "`, x.far)
	b.WriteString(Shown(x.text[:x.far]))
	if x.far < len(x.text) {
		b.WriteString(" ---->>>> " + Shown(x.text[x.far:]))
	} else {
		b.WriteString(" <<<<----")
	}
	b.WriteString(`", expected one of the following: `)
	separator := ""
	for i, name := range wanted {
		if x.want>>i&1 != 0 {
			b.WriteString(separator + name)
			separator = ", "
		}
	}
	b.WriteByte('.')
	return errors.New(b.String())
}

// Shown returns the low byte of each character, which is what RedisJSON's errors show of a text.
// What cannot be in an error becomes a space.
func Shown(text []byte) string {
	b := make([]byte, 0, len(text))
	for _, r := range string(text) {
		c := byte(r)
		if c == 0 || c == '\r' || c == '\n' {
			c = ' '
		}
		b = append(b, c)
	}
	return string(b)
}

func (x *parser) space() {
	for x.at < len(x.text) && x.text[x.at] == ' ' {
		x.at++
	}
}

// take goes behind a token, and the spaces before it.
func (x *parser) take(token string) (ok bool) {
	start := x.at
	x.space()
	if bytes.HasPrefix(x.text[x.at:], []byte(token)) {
		x.at += len(token)
		return true
	}
	x.at = start
	return false
}

// peek returns the next byte, 0 at the end.
func (x *parser) peek() byte {
	if x.at < len(x.text) {
		return x.text[x.at]
	}
	return 0
}

// steps reads as many steps as there are. bare says whether the first one may be without a dot.
func (x *parser) steps(bare bool) (steps []step) {
	missing := wantFirst
	for {
		start := x.at
		s, ok := x.step(bare)
		if !ok {
			x.at = start
			x.space()
			x.miss(missing)
			x.at = start
			return steps
		}
		steps = append(steps, s)
		x.size++
		bare, missing = false, wantScan
	}
}

// step reads a step. It does not go back.
func (x *parser) step(bare bool) (s step, ok bool) {
	switch {
	case x.take(".."):
		s.scan = true
	case x.wide && x.calls():
		return s, false
	case x.take("."):
	default:
		x.space()
		if x.peek() == '[' {
			return s, x.brackets(&s)
		}
		return s, bare && !x.reserved() && x.plain(&s)
	}
	x.space()
	if x.plain(&s) || x.peek() == '[' && x.brackets(&s) {
		return s, true
	}
	x.miss(wantName | wantAll)
	return s, false
}

// calls reports whether a function is called here.
func (x *parser) calls() bool {
	start := x.at
	_, ok := x.method()
	x.at = start
	return ok
}

// reserved reports whether an operator that is a word is here, and no name.
func (x *parser) reserved() bool {
	start := x.at
	_, ok := x.word()
	x.at = start
	return x.wide && ok
}

// plain reads a name or a star.
func (x *parser) plain(s *step) (ok bool) {
	if x.peek() == '*' {
		x.at++
		s.kind = all
		return true
	}
	start := x.at
	for x.at < len(x.text) && isName(x.text[x.at]) && !(x.wide && x.text[x.at] == '~') {
		x.at++
	}
	if x.at == start {
		return false
	}
	x.last = x.text[start:x.at]
	n := len(x.children)
	x.children = append(x.children, child{member: true, name: x.last})
	s.union = x.children[n:]
	return true
}

// isName reports whether a name may have the character.
func isName(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("#$%+-/:^_`~", c) >= 0
}

// brackets reads what stands in brackets. It is of the first kind that fits where it begins.
func (x *parser) brackets(s *step) (ok bool) {
	start := x.at
	x.at++
	x.space()
	if (x.slice(s) || x.integers(s) || x.strings(s) || x.star(s) || x.where(s)) && x.take("]") {
		return true
	}
	x.at = start
	return false
}

func (x *parser) slice(s *step) (ok bool) {
	start := x.at
	r := slice{0, math.MaxInt, 1}
	if n, ok := x.integer(); ok {
		r.from = n
	}
	if !x.take(":") {
		x.at = start
		x.miss(wantSlice)
		return false
	}
	x.space()
	if n, ok := x.integer(); ok {
		r.to = n
	}
	if x.take(":") {
		x.space()
		if n, ok := x.positive(); ok {
			r.step = n
		}
	}
	s.kind, s.slice = stretch, r
	return true
}

func (x *parser) integers(s *step) (ok bool) {
	return x.list(s, func() (c child, ok bool) {
		c.index, ok = x.integer()
		return c, ok
	})
}

func (x *parser) strings(s *step) (ok bool) {
	start := x.at
	ok = x.list(s, func() (c child, ok bool) {
		raw, ok := x.string()
		if ok {
			x.last, c = raw, child{member: true, name: unescape(raw, true)}
		}
		return c, ok
	})
	if !ok {
		x.missAt(start, wantStrings)
	}
	return ok
}

// list reads children with commas between them.
func (x *parser) list(s *step, one func() (child, bool)) (ok bool) {
	c, ok := one()
	if !ok {
		return false
	}
	n := len(x.children)
	x.children = append(x.children, c)
	for start := x.at; x.take(","); start = x.at {
		x.space()
		if c, ok = one(); !ok {
			x.at = start
			break
		}
		x.children = append(x.children, c)
	}
	s.union = x.children[n:]
	return true
}

// integer reads an integer. One that has no room in an int becomes the nearest.
func (x *parser) integer() (n int, ok bool) {
	start := x.at
	if !x.signed() {
		x.miss(wantInteger)
		return 0, false
	}
	return nearest(x.text[start:x.at]), true
}

// signed goes behind an integer.
func (x *parser) signed() (ok bool) {
	start := x.at
	if x.peek() == '-' {
		x.at++
	}
	switch c := x.peek(); {
	case c == '0':
		x.at++
	case '1' <= c && c <= '9':
		x.digits()
	default:
		x.at = start
		return false
	}
	return true
}

// positive reads an integer above 0.
func (x *parser) positive() (n int, ok bool) {
	start := x.at
	if c := x.peek(); c < '1' || c > '9' {
		x.miss(wantPositive)
		return 0, false
	}
	x.digits()
	return nearest(x.text[start:x.at]), true
}

func (x *parser) digits() {
	for c := x.peek(); '0' <= c && c <= '9'; c = x.peek() {
		x.at++
	}
}

func nearest(text []byte) int {
	n, _ := strconv.ParseInt(string(text), 10, strconv.IntSize) // the limit if it is out of range
	return int(n)
}

// string reads a string; raw is what stands between its quotes, behind leading spaces.
func (x *parser) string() (raw []byte, ok bool) {
	quote := x.peek()
	if quote != '"' && quote != '\'' {
		return nil, false
	}
	for i := x.at + 1; i < len(x.text); i++ {
		switch x.text[i] {
		case quote:
			raw, x.at = x.text[x.at+1:i], i+1
			return bytes.TrimLeft(raw, " "), true
		case '\\':
			if i++; i == len(x.text) || x.text[i] != '\\' && x.text[i] != quote {
				return nil, false
			}
		}
	}
	return nil, false
}

// unescape returns the string without the backslashes before backslashes, and if quotes is set
// without those before quotes.
func unescape(raw []byte, quotes bool) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	b := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' {
			if i++; !quotes && raw[i] != '\\' {
				b = append(b, '\\')
			}
		}
		b = append(b, raw[i])
	}
	return b
}

func (x *parser) star(s *step) (ok bool) {
	if x.peek() != '*' {
		x.miss(wantAll)
		return false
	}
	x.at++
	s.kind = all
	return true
}

func (x *parser) where(s *step) (ok bool) {
	if x.peek() != '?' {
		return false
	}
	x.at++
	s.kind = where
	s.filter, ok = x.filter()
	return ok
}

// filter reads a filter, as far as it goes.
func (x *parser) filter() (f filter, ok bool) {
	if !x.enter() {
		return nil, false
	}
	defer x.leave()
	x.space()
	t, ok := x.test()
	if !ok {
		return nil, false
	}
	f = filter{{t}}
	for {
		start := x.at
		and := x.take("&&")
		if !and && !x.take("||") {
			x.space()
			x.miss(wantAnd | wantOr)
			x.at = start
			return f, true
		}
		x.space()
		if t, ok = x.test(); !ok {
			x.at = start
			return f, true
		}
		if and {
			f[len(f)-1] = append(f[len(f)-1], t)
		} else {
			f = append(f, []test{t})
		}
	}
}

// test reads a comparison, a lone term, or a filter in parentheses.
func (x *parser) test() (t test, ok bool) {
	if x.wide {
		return x.wideTest()
	}
	start := x.at
	if t.left, ok = x.term(); ok {
		x.size++
		x.comparison(&t)
		t.lists = x.lists
		return t, true
	}
	if x.peek() == '(' {
		x.at++
		if t.nested, ok = x.filter(); ok && x.take(")") {
			return t, true
		}
	}
	x.at = start
	x.miss(wantTest)
	return t, false
}

// operators are tried in this order.
var operators = [...]struct {
	token string
	op    operator
}{{"==", equal}, {"!=", unequal}, {"<=", lessEqual}, {"<", less}, {">=", greaterEqual}, {">", greater}, {"=~", matches}}

// comparison reads what follows the left term of a test, if it is an operator and a term.
func (x *parser) comparison(t *test) {
	start := x.at
	for _, o := range operators {
		if !x.take(o.token) {
			continue
		}
		x.space()
		right, ok := x.term()
		if !ok {
			x.miss(wantTerm)
			x.at = start
			return
		}
		t.op, t.right = o.op, right
		if o.op == matches {
			x.pattern(t)
		}
		return
	}
	x.space()
	x.miss(wantOperator)
	x.at = start
}

// pattern compiles the pattern of a test, or numbers it if it is in the document. As in RedisJSON a
// literal with an escape is none.
func (x *parser) pattern(t *test) {
	switch {
	case t.right.kind != literal:
		t.slot = x.patterns
		x.patterns++
	case !t.right.escaped:
		t.pattern = compile(t.right.value.text)
	}
}

// term reads a term.
func (x *parser) term() (t term, ok bool) {
	switch c := x.peek(); {
	case c == '@':
		x.at++
		t.kind, t.steps = fromCurrent, x.steps(true)
	case c == '$':
		x.at++
		t.kind, t.slot = fromRoot, x.roots
		x.roots++
		t.steps = x.steps(true)
	case c == '-' || '0' <= c && c <= '9':
		t.value, ok = x.decimal()
		return t, ok
	case c == '"' || c == '\'':
		t.value.kind = json.String
		raw, ok := x.string()
		t.value.text = unescape(raw, x.wide)
		t.escaped = bytes.IndexByte(raw, '\\') >= 0
		return t, ok
	case x.take("true"):
		t.value.kind, t.value.truth = json.Boolean, true
	case x.take("false"):
		t.value.kind = json.Boolean
	case x.take("null"):
		t.value.kind = json.Null
	case x.wide:
		return x.wideTerm()
	default:
		return t, false
	}
	return t, true
}

// decimal reads a number.
func (x *parser) decimal() (v operand, ok bool) {
	start := x.at
	if !x.signed() {
		return v, false
	}
	integer := true
	if dot := x.at; x.peek() == '.' {
		x.at++
		if x.digits(); x.at > dot+1 {
			integer = false
		} else {
			x.at = dot
		}
	}
	text := string(x.text[start:x.at])
	if integer {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return operand{kind: json.Integer, integer: n}, true
		}
	}
	f, _ := strconv.ParseFloat(text, 64)
	return operand{kind: json.Number, float: f}, true
}
