package path

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/ds/json"
)

// The wide language, that of Redis 8.10, has expressions in filters, and as paths:
//
//	path      = sum .
//	sum       = product { ( "+" | "-" ) product } .
//	product   = factor { ( "*" | "/" | "%" ) factor } .
//	factor    = [ "+" | "-" ] primary .
//	primary   = "(" sum ")" | term { "." function "(" [ sum { "," sum } ] ")" } | term "~" .
//	term      = string | decimal | "true" | "false" | "null" | array | object
//	          | ( "@" | "$" ) { step } | function "(" [ term { "," term } ] ")" .
//	test      = { "!" } ( sum [ operator sum ] | "(" filter ")" ) .
//	operator  = "==" | "!=" | "<" | "<=" | ">" | ">=" | "=~" | "in" | "nin" | "subsetof" | "anyof"
//	          | "noneof" | "sizeof" | "size" | "empty" .
//
// Its names have no "~", a name behind a dot is none if "(" follows, and one without a dot is none
// that is an operator. An expression that is one path from the root, which may be in parentheses,
// is that path; any other computes values.

// Dialect is a version of the language.
type Dialect uint8

// The dialects.
const (
	Narrow Dialect = iota // that of RedisJSON before Redis 8.8
	Lists                 // that of Redis 8.8: a path in a filter stands for all values that it matches
	Wide                  // that of Redis 8.10
	Either                // a path is one of the wide language if it has an expression, else of the narrow one
)

// Parse is the function Parse for a dialect.
func (d Dialect) Parse(text []byte) (*Path, error) {
	if d >= Wide {
		if p, expression, err := parseWide(text); d == Wide || err == nil && expression {
			return p, err
		}
	}
	return parseNarrow(text, d == Lists)
}

// parseWide is Parse for the wide language. expression reports whether the path has something that
// the narrow language does not have.
func parseWide(text []byte) (p *Path, expression bool, err error) {
	switch {
	case len(text) > MaxBytes:
		return nil, false, errLong
	case !utf8.Valid(text):
		return nil, false, json.ErrNotUTF8
	}
	p = &Path{text: bytes.Clone(text)}
	if !isExpression(text) {
		p.text, p.legacy = jsonPath(text)
	}
	x := parser{text: p.text, wide: true, lists: true}
	t, ok := x.sum(nil)
	if x.space(); !ok || x.at < len(x.text) {
		x.miss(wantEnd)
		return nil, false, x.error()
	}
	p.take(&x)
	if t.kind == fromRoot {
		p.follow(t.steps, x.last)
		return p, x.expression, nil
	}
	p.computed, p.legacy = &t, false
	return p, true, nil
}

// isExpression reports whether a text that is no path of the narrow language is an expression: one
// in parentheses, with a sign, or with a function in front, or the names of the root.
func isExpression(text []byte) bool {
	t := text
	name := len(t) - len(bytes.TrimLeftFunc(t, func(r rune) bool { return r < utf8.RuneSelf && isWord(byte(r)) }))
	switch {
	case len(t) == 0:
		return false
	case name > 0:
		return bytes.HasPrefix(bytes.TrimLeft(t[name:], " "), []byte("("))
	case t[0] == '-' || t[0] == '+':
		t = bytes.TrimLeft(t[1:], " ")
	}
	return len(t) > 0 && (t[0] == '(' || t[0] == '$' && (len(t) == 1 || strings.IndexByte(".[~", t[1]) >= 0))
}

// isWord reports whether a function's name, or that of an operator, may have the character.
func isWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// enter goes a level deeper; ok is false if that is too deep. leave goes back.
func (x *parser) enter() (ok bool) {
	if x.depth == MaxNesting {
		x.deep = true
		return false
	}
	x.depth++
	return true
}

func (x *parser) leave() { x.depth-- }

// sum reads a sum. first is its first primary, if that was read.
func (x *parser) sum(first *term) (t term, ok bool) { return x.chain("+-", first, x.product) }

func (x *parser) product(first *term) (t term, ok bool) { return x.chain("*/%", first, x.factor) }

// chain reads operands with operators between them.
func (x *parser) chain(operators string, first *term, operand func(first *term) (term, bool)) (t term, ok bool) {
	if t, ok = operand(first); !ok {
		return t, false
	}
	for {
		start := x.at
		x.space()
		at := strings.IndexByte(operators, x.peek())
		if x.at == len(x.text) || at < 0 {
			x.at = start
			return t, true
		}
		x.at++
		x.space()
		right, ok := operand(nil)
		if !ok {
			x.at = start
			return t, true
		}
		t = x.call(operators[at:at+1], t, right)
	}
}

// call returns the term of a function and its arguments. Operators are functions, too.
func (x *parser) call(name string, args ...term) term {
	x.size++
	x.expression = true
	return term{kind: call, function: functions[name], args: args}
}

func (x *parser) factor(first *term) (t term, ok bool) {
	if first != nil {
		return *first, true
	}
	x.space()
	sign := x.peek()
	if sign != '-' && sign != '+' {
		return x.primary()
	}
	start := x.at
	x.at++
	x.space()
	if t, ok = x.primary(); !ok {
		x.at = start
		return t, false
	}
	return x.call("unary "+string(sign), t), true
}

func (x *parser) primary() (t term, ok bool) {
	start := x.at
	if x.take("(") {
		if !x.enter() {
			return t, false
		}
		defer x.leave()
		x.expression = true
		if t, ok = x.sum(nil); ok && x.take(")") {
			return t, true
		}
		x.at = start
		return t, false
	}
	if t, ok = x.term(); !ok {
		x.miss(wantTerm)
		x.at = start
		return t, false
	}
	if x.take("~") {
		return x.call("keys", t), true
	}
	for {
		start := x.at
		name, ok := x.method()
		if !ok {
			x.at = start
			return t, true
		}
		args, ok := x.arguments([]term{t}, func() (term, bool) { return x.sum(nil) })
		if !ok {
			x.at = start
			return t, true
		}
		t = x.call(name, args...)
	}
}

// method goes behind a dot, a function's name, and a parenthesis.
func (x *parser) method() (name string, ok bool) {
	if !x.take(".") {
		return "", false
	}
	return x.function()
}

// function goes behind a function's name, and a parenthesis.
func (x *parser) function() (name string, ok bool) {
	x.space()
	start := x.at
	for isWord(x.peek()) {
		x.at++
	}
	name = string(x.text[start:x.at])
	return name, name != "" && 'a' <= name[0]|0x20 && name[0]|0x20 <= 'z' && x.take("(")
}

// arguments reads what stands between the parentheses of a function, behind the first ones.
func (x *parser) arguments(args []term, one func() (term, bool)) (all []term, ok bool) {
	if x.take(")") {
		return args, true
	}
	if !x.enter() {
		return nil, false
	}
	defer x.leave()
	for {
		x.space()
		t, ok := one()
		if !ok {
			return nil, false
		}
		if args = append(args, t); x.take(")") {
			return args, true
		}
		if !x.take(",") {
			return nil, false
		}
	}
}

// wideTerm reads a term that the narrow language does not have.
func (x *parser) wideTerm() (t term, ok bool) {
	start := x.at
	if c := x.peek(); c == '[' || c == '{' {
		text, ok := x.literal(nil)
		if !ok {
			x.at = start
			return t, false
		}
		x.expression = true
		p := json.Parser{Levels: json.MaxLevels}
		doc, _, err := p.Parse(text)
		if err != nil {
			return t, false
		}
		return term{kind: literal, value: operandOf(doc.Root())}, true
	}
	name, ok := x.function()
	if !ok {
		x.at = start
		return t, false
	}
	args, ok := x.arguments(nil, x.term)
	if !ok {
		x.at = start
		return t, false
	}
	return x.call(name, args...), true
}

// literal reads a literal, and appends its text as JSON.
func (x *parser) literal(dst []byte) (text []byte, ok bool) {
	x.space()
	start := x.at
	switch c := x.peek(); {
	case c == '"' || c == '\'':
		raw, ok := x.string()
		return json.AppendString(dst, unescape(raw, true)), ok
	case c == '[':
		return x.container(dst, ']', x.literal)
	case c == '{':
		return x.container(dst, '}', x.member)
	case x.take("true"), x.take("false"), x.take("null"):
	default:
		if _, ok := x.decimal(); !ok {
			return dst, false
		}
	}
	return append(dst, x.text[start:x.at]...), true
}

// container reads what stands between brackets or braces.
func (x *parser) container(dst []byte, end byte, one func(dst []byte) ([]byte, bool)) (text []byte, ok bool) {
	if !x.enter() {
		return dst, false
	}
	defer x.leave()
	dst = append(dst, x.peek())
	x.at++
	for first := true; !first || !x.take(string(end)); first = false {
		if dst, ok = one(dst); !ok {
			return dst, false
		}
		if x.take(string(end)) {
			break
		}
		if !x.take(",") {
			return dst, false
		}
		dst = append(dst, ',')
	}
	return append(dst, end), true
}

// member reads a member of an object.
func (x *parser) member(dst []byte) (text []byte, ok bool) {
	x.space()
	raw, ok := x.string()
	if !ok || !x.take(":") {
		return dst, false
	}
	return x.literal(append(json.AppendString(dst, unescape(raw, true)), ':'))
}

// words are the operators that are words.
var words = [...]struct {
	token string
	op    operator
}{{"in", within}, {"nin", without}, {"subsetof", subset}, {"anyof", anyOf}, {"noneof", noneOf}, {"sizeof", sized},
	{"size", sized}, {"empty", empty}}

// word goes behind an operator that is a word.
func (x *parser) word() (op operator, ok bool) {
	for _, w := range words {
		start := x.at
		if x.take(w.token) && !isWord(x.peek()) {
			return w.op, true
		}
		x.at = start
	}
	return exists, false
}

// wideTest reads a test.
func (x *parser) wideTest() (t test, ok bool) {
	start := x.at
	for x.take("!") {
		t.not, x.expression = !t.not, true
	}
	x.space()
	t.wide = true
	x.size++
	var first *term
	if x.peek() == '(' {
		x.at++
		if t.nested, ok = x.filter(); !ok || !x.take(")") {
			x.at = start
			x.miss(wantTest)
			return t, false
		}
		inner := t.nested[0]
		if len(t.nested) > 1 || len(inner) > 1 || inner[0].op != exists || inner[0].not || inner[0].nested != nil {
			return t, true
		}
		t.nested, first = nil, &inner[0].left
	}
	if t.left, ok = x.sum(first); !ok {
		x.at = start
		x.miss(wantTest)
		return t, false
	}
	x.wideComparison(&t)
	return t, true
}

// wideComparison is comparison for the wide language.
func (x *parser) wideComparison(t *test) {
	start := x.at
	op, ok := x.word()
	x.expression = x.expression || ok
	for i := 0; !ok && i < len(operators); i++ {
		op, ok = operators[i].op, x.take(operators[i].token)
	}
	if !ok {
		x.miss(wantOperator)
		return
	}
	x.space()
	right, ok := x.sum(nil)
	if !ok {
		x.miss(wantTerm)
		x.at = start
		return
	}
	t.op, t.right = op, right
}
