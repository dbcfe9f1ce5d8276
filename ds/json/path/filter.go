package path

import (
	"bytes"
	"cmp"
	"math"
	"regexp"
	"regexp/syntax"

	"github.com/miniserver-go/miniserver/ds/json"
)

// A filter is true if all tests of one of its rows are.
type filter [][]test

// A test is a nested filter, or compares two terms, or asks whether the left one is anything.
type test struct {
	nested      filter // or nil
	op          operator
	left, right term
	pattern     program // of matches, if the right term is a literal
	slot        int     // of the pattern, if the right term is a path
	wide        bool    // it is one of the wide language
	lists       bool    // a path in it stands for all values that it matches, as since Redis 8.8
	not         bool    // which is true if the rest is not
}

type operator uint8

const (
	exists operator = iota
	equal
	unequal
	less
	lessEqual
	greater
	greaterEqual
	matches
	// of the wide language
	within
	without
	subset
	anyOf
	noneOf
	sized
	empty
)

// A term is a literal, a path that stands for the value that it matches, if that is one, or a call
// of a function.
type term struct {
	kind     termKind
	value    operand // of a literal
	escaped  bool    // it is a string with backslashes
	steps    []step
	slot     int       // of a path from the root, which is followed once for each root
	function *function // nil for one that is not known, which returns nothing
	args     []term
}

type termKind uint8

const (
	literal termKind = iota
	fromCurrent
	fromRoot
	call
)

// operand is a value that is compared: a literal or one of a document.
type operand struct {
	kind    json.Kind
	truth   bool       // a Boolean
	integer int64      // an Integer, which is in this range
	float   float64    // a Number, or an Integer that is not
	text    []byte     // a String
	value   json.Value // of a document, else none
}

// operandOf returns the operand that a value is. An integer above all of int64 is a Number.
func operandOf(v json.Value) operand {
	o := operand{kind: v.Kind(), value: v}
	switch o.kind {
	case json.Boolean:
		o.truth = v.Bool()
	case json.Integer:
		var ok bool
		if o.integer, ok = v.Int(); !ok {
			o.kind, o.float = json.Number, v.Float()
		}
	case json.Number:
		o.float = v.Float()
	case json.String:
		o.text = v.Text()
	}
	return o
}

func (o *operand) isNumber() bool { return o.kind == json.Integer || o.kind == json.Number }

func (o *operand) asFloat() float64 {
	if o.kind == json.Integer {
		return float64(o.integer)
	}
	return o.float
}

// order compares two operands; ok is false if neither is more than the other and they are not
// equal. Arrays and objects have no order.
func order(a, b *operand) (c int, ok bool) {
	switch {
	case a.kind == json.Integer && b.kind == json.Integer:
		return cmp.Compare(a.integer, b.integer), true
	case a.isNumber() && b.isNumber():
		return cmp.Compare(a.asFloat(), b.asFloat()), true
	case a.kind != b.kind:
		return 0, false
	case a.kind == json.String:
		return bytes.Compare(a.text, b.text), true
	case a.kind == json.Boolean:
		return truth(a.truth) - truth(b.truth), true
	default:
		return 0, a.kind == json.Null
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// satisfies reports whether an order is what an operator asks for.
func (op operator) satisfies(c int) bool {
	switch op {
	case less:
		return c < 0
	case lessEqual:
		return c <= 0
	case greater:
		return c > 0
	default:
		return c >= 0
	}
}

// true reports whether a filter is true for a value.
func (f *Finder) true(rows filter, v json.Value) bool {
	for _, row := range rows {
		if f.allTrue(row, v) {
			return true
		}
	}
	return false
}

func (f *Finder) allTrue(row []test, v json.Value) bool {
	for i := range row {
		if !f.run.spend(1) || !f.test(&row[i], v) {
			return false
		}
	}
	return true
}

// test reports whether a test is true for a value. What is not there equals nothing, and is unequal
// to everything.
func (f *Finder) test(t *test, v json.Value) bool {
	if t.wide {
		return f.wideTest(t, v) != t.not
	}
	if t.nested != nil {
		return f.true(t.nested, v)
	}
	if t.lists {
		return f.listTest(t, v)
	}
	a, ok := f.operand(&t.left, v)
	if t.op == exists {
		return ok
	}
	b, also := f.operand(&t.right, v)
	switch {
	case !ok || !also:
		return t.op == unequal
	case t.op == equal:
		return f.equal(&a, &b)
	case t.op == unequal:
		return !f.equal(&a, &b)
	case t.op == matches:
		return f.matches(t, &a, &b)
	}
	c, ok := order(&a, &b)
	return ok && t.op.satisfies(c)
}

// listTest is test where paths stand for all values that they match. It is true if it is for any.
func (f *Finder) listTest(t *test, v json.Value) bool {
	a := f.eval(&t.left, v)
	if t.op == exists {
		return a.form != nothing
	}
	b := f.eval(&t.right, v)
	if t.op == matches {
		return f.either(&a, &b, func(x, y *operand) bool { return f.matches(t, x, y) })
	}
	return f.compares(t.op, &a, &b)
}

// operand returns what a term stands for; ok is false for nothing.
func (f *Finder) operand(t *term, v json.Value) (o operand, ok bool) {
	switch t.kind {
	case literal:
		return t.value, true
	case fromCurrent:
		v, ok = f.only(t.steps, v)
	case fromRoot:
		v, ok = f.fromRoot(t)
	}
	if !ok {
		return o, false
	}
	return operandOf(v), true
}

// equal compares two operands. Two values of documents are equal if their numbers are exactly; else
// they are compared as floating-point numbers unless both are in the range of int64.
func (f *Finder) equal(a, b *operand) bool {
	if a.value.Exists() && b.value.Exists() {
		return f.same(a.value, b.value)
	}
	c, ok := order(a, b)
	return ok && c == 0
}

// matches reports whether a pattern is found in a text of the document.
func (f *Finder) matches(t *test, a, b *operand) bool {
	if a.kind != json.String || b.kind != json.String || !a.value.Exists() {
		return false
	}
	p := t.pattern
	if b.value.Exists() {
		p = f.run.pattern(t.slot, b.text)
	}
	return f.run.search(p, a.text)
}

// same reports whether two values of documents are equal.
func (f *Finder) same(a, b json.Value) bool {
	pairs := append(f.run.pairs[:0], [2]json.Value{a, b})
	for len(pairs) > 0 && f.run.spend(1) {
		last := len(pairs) - 1
		a, b, pairs = pairs[last][0], pairs[last][1], pairs[:last]
		ok := false
		if a.Kind() == json.Array && b.Kind() == json.Array {
			pairs, ok = pairElements(pairs, a, b)
		} else if a.Kind() == json.Object && b.Kind() == json.Object {
			pairs, ok = pairMembers(pairs, a, b)
		} else {
			ok = sameScalar(a, b)
		}
		f.run.spend(len(pairs) - last)
		if !ok {
			f.run.pairs = pairs
			return false
		}
	}
	f.run.pairs = pairs
	return true
}

// pairElements adds the elements of two arrays that must be equal; ok is false if they have not as
// many.
func pairElements(pairs [][2]json.Value, a, b json.Value) (more [][2]json.Value, ok bool) {
	if a.Len() != b.Len() {
		return pairs, false
	}
	for x, y := a.Children(), b.Children(); x.Next() && y.Next(); {
		pairs = append(pairs, [2]json.Value{x.Value(), y.Value()})
	}
	return pairs, true
}

// pairMembers adds the members of two objects that must be equal; ok is false if they have not the
// same names.
func pairMembers(pairs [][2]json.Value, a, b json.Value) (more [][2]json.Value, ok bool) {
	if a.Len() != b.Len() {
		return pairs, false
	}
	for x := a.Children(); x.Next(); {
		y, _, ok := b.Member(x.Name())
		if !ok {
			return pairs, false
		}
		pairs = append(pairs, [2]json.Value{x.Value(), y})
	}
	return pairs, true
}

func sameScalar(a, b json.Value) bool {
	x, y := a.Kind(), b.Kind()
	switch {
	case x == json.Integer && y == json.Integer:
		n, nok := a.Int()
		m, mok := b.Int()
		return nok == mok && n == m && (nok || a.Uint() == b.Uint())
	case x == json.Integer && y == json.Number:
		return sameNumber(a, b.Float())
	case x == json.Number && y == json.Integer:
		return sameNumber(b, a.Float())
	case x != y:
		return false
	case x == json.Number:
		return a.Float() == b.Float()
	case x == json.Boolean:
		return a.Bool() == b.Bool()
	case x == json.String:
		return bytes.Equal(a.Text(), b.Text())
	default:
		return x == json.Null
	}
}

// sameNumber reports whether an Integer and a float are exactly the same number.
func sameNumber(v json.Value, f float64) bool {
	if n, ok := v.Int(); ok {
		return -1<<63 <= f && f < 1<<63 && f == math.Trunc(f) && int64(f) == n
	}
	return 1<<63 <= f && f < 1<<64 && uint64(f) == v.Uint()
}

// program is a regular expression.
type program struct {
	valid *regexp.Regexp // nil if it is not valid, or too large: then it matches nothing
	size  int            // instructions
}

// maxPattern is how many instructions a pattern may have, and bytes. Then its memory and the time
// of a match are bounded.
const maxPattern = 4096

// compile returns the program of a pattern.
func compile(pattern []byte) program {
	if len(pattern) > maxPattern {
		return program{}
	}
	parsed, err := syntax.Parse(string(pattern), syntax.Perl)
	if err != nil {
		return program{}
	}
	size := instructions(parsed)
	if size > maxPattern {
		return program{}
	}
	p, err := regexp.Compile(string(pattern))
	if err != nil {
		return program{}
	}
	return program{p, size}
}

// instructions returns about how many instructions a parsed pattern has when it is compiled.
func instructions(p *syntax.Regexp) (n int) {
	n = 1 + len(p.Rune)/2
	for _, sub := range p.Sub {
		n += instructions(sub)
	}
	if p.Op == syntax.OpRepeat {
		n *= max(1, p.Min, p.Max)
	}
	return n
}
