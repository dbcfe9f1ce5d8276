package path

import (
	"iter"
	"math"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/ds/json"
)

// A result is what a term of the wide language stands for: nothing, a value, or several.
type result struct {
	form form
	one  operand
	list []json.Value
}

type form uint8

const (
	nothing form = iota
	single
	nodes // values that a path leads to, two at least: a test is true if it is for any of them
	made  // a list that was computed, of any length
)

func oneOf(o operand) result { return result{form: single, one: o} }

func integerOf(n int64) result { return oneOf(operand{kind: json.Integer, integer: n}) }

// floatOf returns a number, or nothing if it is not finite.
func floatOf(f float64) result {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return result{}
	}
	return oneOf(operand{kind: json.Number, float: f})
}

func booleanOf(b bool) result { return oneOf(operand{kind: json.Boolean, truth: b}) }

func madeOf(list []json.Value) result { return result{form: made, list: list} }

// eval returns what a term stands for, if the current value is v.
func (f *Finder) eval(t *term, v json.Value) result {
	f.run.spend(1)
	switch t.kind {
	case literal:
		return oneOf(t.value)
	case fromCurrent:
		return f.all(t.steps, v)
	case fromRoot:
		known := &f.run.roots[t.slot]
		if known.serial != f.serial {
			*known = rootTerm{serial: f.serial, all: f.all(t.steps, f.root)}
		}
		return known.all
	}
	args := make([]result, len(t.args))
	for i := range args {
		args[i] = f.eval(&t.args[i], v)
	}
	fn := t.function
	if fn == nil || len(args) < fn.least || len(args) > fn.most || f.run.err != nil {
		return result{}
	}
	return fn.run(f, args)
}

// all returns all that the steps from v lead to.
func (f *Finder) all(steps []step, v json.Value) result {
	root, i, ok := v, 0, true
	for ; i < len(steps) && steps[i].static(); i++ {
		if v, _, ok = steps[i].union[0].of(v); !ok {
			return result{}
		}
	}
	if i == len(steps) {
		return oneOf(operandOf(v))
	}
	if f.sub == nil {
		f.sub = &Finder{run: f.run}
	}
	var list []json.Value
	for f.sub.from(steps[i:], v, root); f.sub.Next() && f.run.spend(1); {
		list = append(list, f.sub.value)
	}
	switch len(list) {
	case 0:
		return result{}
	case 1:
		return oneOf(operandOf(list[0]))
	}
	return result{form: nodes, list: list}
}

// items returns the values of a result one by one, as long as they may be visited.
func (f *Finder) items(r *result) iter.Seq[operand] {
	return func(yield func(operand) bool) {
		if r.form == single {
			yield(r.one)
			return
		}
		for _, v := range r.list {
			if !f.run.spend(1) || !yield(operandOf(v)) {
				return
			}
		}
	}
}

// elements returns the elements of an array, or the values of a list; ok is false for anything
// else.
func (f *Finder) elements(r *result) (list iter.Seq[operand], ok bool) {
	if r.form != single {
		return f.items(r), r.form != nothing
	}
	if r.one.kind != json.Array {
		return nil, false
	}
	return func(yield func(operand) bool) {
		for c := r.one.value.Children(); c.Next(); {
			if !f.run.spend(1) || !yield(operandOf(c.Value())) {
				return
			}
		}
	}, true
}

// any reports whether something is true for any value of a result.
func (f *Finder) any(r *result, is func(o *operand) bool) bool {
	for o := range f.items(r) {
		if is(&o) {
			return true
		}
	}
	return false
}

// either reports whether something is true for any pair of the values of two results.
func (f *Finder) either(a, b *result, is func(x, y *operand) bool) bool {
	return f.any(a, func(x *operand) bool {
		return f.any(b, func(y *operand) bool { return is(x, y) })
	})
}

// wideTest reports whether a test is true for a value, but for a "!" in front.
func (f *Finder) wideTest(t *test, v json.Value) bool {
	if t.nested != nil {
		return f.true(t.nested, v)
	}
	a := f.eval(&t.left, v)
	if t.op == exists {
		return a.holds()
	}
	b := f.eval(&t.right, v)
	switch t.op {
	case matches:
		return f.either(&a, &b, f.finds)
	case within:
		return f.within(&a, &b)
	case without:
		return !f.within(&a, &b)
	case subset, anyOf:
		return f.relates(&a, &b, t.op == subset)
	case noneOf:
		return !f.relates(&a, &b, false)
	case sized:
		return f.sized(&a, &b)
	case empty:
		return f.empty(&a, &b)
	}
	return f.compares(t.op, &a, &b)
}

// compares reports whether an operator is true for any pair of the values of two results.
func (f *Finder) compares(op operator, a, b *result) bool {
	switch op {
	case equal:
		return f.either(a, b, f.equal)
	case unequal:
		return !f.either(a, b, f.equal)
	}
	return f.either(a, b, func(x, y *operand) bool {
		c, ok := order(x, y)
		return ok && op.satisfies(c)
	})
}

// holds reports whether a result without an operator is true: a boolean that is, a list that is not
// empty, any other value.
func (r *result) holds() bool {
	switch {
	case r.form == single && r.one.kind == json.Boolean && r.one.value.Exists():
		return true // a boolean of the document is there
	case r.form == single && r.one.kind == json.Boolean:
		return r.one.truth
	case r.form == made:
		return len(r.list) > 0
	}
	return r.form != nothing
}

// finds reports whether a text has a part that a pattern matches.
func (f *Finder) finds(text, pattern *operand) bool {
	return text.kind == json.String && pattern.kind == json.String &&
		f.run.search(f.run.regexp(string(pattern.text)), text.text)
}

// maxRegexps is how many regular expressions are kept.
const maxRegexps = 64

// regexp returns a regular expression by its text.
func (r *run) regexp(text string) program {
	p, known := r.regexps[text]
	if known {
		return p
	}
	if r.regexps == nil || len(r.regexps) == maxRegexps {
		r.regexps = make(map[string]program)
	}
	p = r.compile([]byte(text))
	r.regexps[text] = p
	return p
}

// within reports whether a value is one of an array's.
func (f *Finder) within(a, array *result) bool {
	return f.any(a, func(x *operand) bool { return f.isIn(x, array) })
}

func (f *Finder) isIn(x *operand, array *result) bool {
	list, ok := f.elements(array)
	if !ok {
		return false
	}
	for y := range list {
		if f.equal(x, &y) {
			return true
		}
	}
	return false
}

// relates reports whether all elements of an array are in another one, or any of them. Of several
// arrays to which a path leads one must relate.
func (f *Finder) relates(a, b *result, all bool) bool {
	if a.form == nodes {
		return f.any(a, func(x *operand) bool { return f.relates(&result{form: single, one: *x}, b, all) })
	}
	list, ok := f.elements(a)
	if !ok {
		return false
	}
	for x := range list {
		if f.isIn(&x, b) != all {
			return !all
		}
	}
	return all
}

// length returns how many characters, elements or members a value has; ok is false if it is none
// that has some.
func (o *operand) length() (n int, ok bool) {
	switch o.kind {
	case json.String:
		return utf8.RuneCount(o.text), true
	case json.Array, json.Object:
		return o.value.Len(), true
	}
	return 0, false
}

// sized reports whether a value has the length that a number is.
func (f *Finder) sized(a, b *result) bool {
	return f.lengthIs(a, b, func(n int, want *operand) bool {
		size, ok := want.truncated()
		return ok && int64(n) == size
	})
}

// empty reports whether a value is empty, or with false whether it is not.
func (f *Finder) empty(a, b *result) bool {
	return f.lengthIs(a, b, func(n int, want *operand) bool {
		return want.kind == json.Boolean && (n == 0) == want.truth
	})
}

// lengthIs reports whether the length of a value is what is asked for. A computed list has one.
func (f *Finder) lengthIs(a, b *result, is func(n int, want *operand) bool) bool {
	if a.form == made {
		return f.any(b, func(y *operand) bool { return is(len(a.list), y) })
	}
	return f.either(a, b, func(x, y *operand) bool {
		n, ok := x.length()
		return ok && is(n, y)
	})
}

// truncated returns a number without its fraction; ok is false if it is no number, or out of range.
func (o *operand) truncated() (n int64, ok bool) {
	if o.kind == json.Integer {
		return o.integer, true
	}
	return o.integerOf(math.Trunc)
}

// integerOf returns a Number that is rounded; ok is false if it is none, or out of range.
func (o *operand) integerOf(round func(f float64) float64) (n int64, ok bool) {
	f := round(o.float)
	return int64(f), o.kind == json.Number && -1<<63 <= f && f < 1<<63
}

// compute returns the values of a path that computes them.
func (f *Finder) compute(t *term, root json.Value) []json.Value {
	r := f.eval(t, root)
	switch r.form {
	case nothing:
		return nil
	case single:
		return []json.Value{r.one.asValue()}
	case nodes:
		return []json.Value{f.arrayOf(r.list)}
	}
	return r.list
}

// asValue returns the value that an operand is.
func (o *operand) asValue() json.Value {
	switch {
	case o.value.Exists():
		return o.value
	case o.kind == json.Integer:
		return new(json.Scalar).Int(o.integer)
	case o.kind == json.Number:
		return new(json.Scalar).Number(o.float)
	case o.kind == json.String:
		return json.TextValue(o.text)
	case o.kind == json.Boolean && o.truth:
		return json.True
	case o.kind == json.Boolean:
		return json.False
	}
	return json.NullValue
}

// arrayOf returns an array of values, which are copied.
func (f *Finder) arrayOf(list []json.Value) json.Value {
	return f.array(func(text []byte, i int) ([]byte, bool) {
		if i == len(list) {
			return text, false
		}
		return json.AppendText(text, list[i]), true
	})
}

// array returns an array of what add appends as JSON, until it returns false.
func (f *Finder) array(add func(text []byte, i int) (_ []byte, ok bool)) json.Value {
	text := []byte{'['}
	for i := 0; ; i++ {
		n := len(text)
		if i > 0 {
			text = append(text, ',')
		}
		more, ok := add(text, i)
		if !ok || !f.run.spend(1+(len(more)-n)/textStep) {
			text = append(text[:n], ']')
			break
		}
		text = more
	}
	p := json.Parser{Levels: json.MaxLevels + MaxNesting}
	doc, _, err := p.Parse(text)
	if err != nil {
		f.run.err = ErrTooMuch
		return json.EmptyArray
	}
	return doc.Root()
}

// childrenOf returns the elements of an array.
func childrenOf(array json.Value) (list []json.Value) {
	for c := array.Children(); c.Next(); {
		list = append(list, c.Value())
	}
	return list
}
