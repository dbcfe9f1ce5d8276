package lint

import (
	"math"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// eval returns what is known of an expression's value.
func (r *run) eval(e syntax.Expr) *value {
	r.steps++
	switch e := e.(type) {
	case syntax.NilExpr:
		return &value{kinds: isNil}
	case syntax.BoolExpr:
		if e.Value {
			return &value{kinds: isTrue}
		}
		return &value{kinds: isFalse}
	case syntax.NumberExpr:
		return constantNumber(e.Value)
	case syntax.StringExpr:
		return constant(e.Value)
	case syntax.DotsExpr:
		if len(r.frame.args) > 0 {
			return r.frame.args[0]
		}
		return unknownAt("...")
	case *syntax.LocalExpr:
		return r.variable(e.Variable)
	case *syntax.UpvalExpr:
		return r.variable(e.Variable)
	case *syntax.GlobalExpr:
		return r.wholly(r.global(e))
	case *syntax.IndexExpr:
		return r.index(e)
	case *syntax.CallExpr:
		values, rest := r.call(e)
		switch {
		case len(values) > 0:
			return values[0]
		case rest != nil:
			return rest
		}
		return &value{kinds: isNil}
	case *syntax.FunctionExpr:
		return r.function(e.Body)
	case *syntax.ParenExpr:
		return r.eval(e.Inner)
	case *syntax.UnaryExpr:
		return r.unary(e)
	case *syntax.BinaryExpr:
		return r.binary(e)
	case *syntax.TableExpr:
		return r.constructor(e)
	}
	return unknownAt("?")
}

func constantNumber(f float64) *value {
	v := constant(strconv.FormatFloat(f, 'g', -1, 64))
	v.kinds, v.fraction = isNumber, f != math.Floor(f)
	return v
}

// place returns where an expression stands; around is the place of what it is part of, for those
// that do not say.
func place(e syntax.Expr, around int32) int32 {
	switch e := e.(type) {
	case syntax.StringExpr:
		return e.At
	case *syntax.LocalExpr:
		return e.At
	case *syntax.UpvalExpr:
		return e.At
	case *syntax.GlobalExpr:
		return e.At
	case *syntax.IndexExpr:
		return e.At
	case *syntax.CallExpr:
		return e.At
	case *syntax.TableExpr:
		return e.At
	case *syntax.UnaryExpr:
		return e.At
	case *syntax.BinaryExpr:
		return place(e.Left, e.At)
	case *syntax.ParenExpr:
		return place(e.Inner, around)
	}
	return around
}

// list returns the values of a list of expressions, and what further values are: nil if there are
// none. As in Lua only the last expression may give more than one value.
func (r *run) list(es []syntax.Expr) (values []*value, rest *value) {
	for i, e := range es {
		if i < len(es)-1 {
			values = append(values, r.eval(e))
			continue
		}
		switch e := e.(type) {
		case *syntax.CallExpr:
			var more []*value
			more, rest = r.call(e)
			values = append(values, more...)
		case syntax.DotsExpr:
			values = append(values, r.frame.args...)
			rest = r.frame.more
		default:
			values = append(values, r.eval(e))
		}
	}
	return values, rest
}

// variable returns what is known of a local variable. One of which nothing is known is named after
// its declaration and remembered, so that two uses of it are the same text.
func (r *run) variable(v *syntax.Variable) *value {
	r.locals.read[v] = true
	known := r.scope.values[v]
	if known == nil {
		known = unknownAt(v.Name + "@" + strconv.Itoa(int(v.At)))
		r.scope.values[v] = known
	}
	return r.wholly(known)
}

// wholly notes that a program uses KEYS or ARGV as a whole. From then on no element counts as
// unused: a loop, unpack or a helper may read it.
func (r *run) wholly(v *value) *value {
	if v.table != nil && v.table.input != nil {
		v.table.input.all = true
	}
	return v
}

// object evaluates what is indexed, which does not count as a use of KEYS or ARGV as a whole.
func (r *run) object(e syntax.Expr) *value {
	switch e := e.(type) {
	case *syntax.GlobalExpr:
		return r.global(e)
	case *syntax.LocalExpr, *syntax.UpvalExpr:
		v := variableOf(e)
		if known := r.scope.values[v]; known != nil && known.table != nil && known.table.input != nil {
			r.locals.read[v] = true
			return known
		}
	}
	return r.eval(e)
}

// index evaluates object[key]. An element is a copy: what it depends on is added to it, and the
// table's own value must not change.
func (r *run) index(e *syntax.IndexExpr) *value {
	object, key := r.object(e.Object), r.eval(e.Key)
	if object.builtin != "" {
		return r.field(e, object.builtin, key)
	}
	r.uses(e.At, object, "indexing it")
	if object.status && !key.exact || object.table == nil {
		v := unknownAt("field@" + strconv.Itoa(int(e.At)))
		v.tells(object)
		if object.only(isTable) && object.status {
			v.kinds = isText | isNil
		}
		return v
	}
	if in := object.table.input; in != nil {
		return r.inputElement(e, in, key)
	}
	r.named(e, object, key)
	var v *value
	if key.exact {
		v = object.table.element(key.text)
	} else {
		v = object.table.any()
	}
	if v == nil {
		v = unknownAt("field@" + strconv.Itoa(int(e.At)))
	}
	c := *v
	c.tells(object)
	c.tells(key)
	return &c
}

// named finds a list of names and values that is indexed by a name.
func (r *run) named(e *syntax.IndexExpr, list, key *value) {
	c := list.raw
	if c == nil || c.protected || r.resp3 || !key.exact || key.kinds != isText {
		return
	}
	_, err := strconv.ParseFloat(key.text, 64)
	if err != nil && !slices.Contains(replyFields, key.text) {
		r.report("named-element", e.At, "%s replies with a list, whose element %s is always nil: "+
			"look for the name among the elements 1, 3, 5, or read that value alone.", c, key.text)
	}
}

// inputElement returns an element of KEYS or ARGV. It may be nil, but it is no mistake to use it:
// the caller decides how many there are. A constant number is a use of that element, any other
// expression one of all elements.
func (r *run) inputElement(e *syntax.IndexExpr, in *input, key *value) *value {
	name := in.name + "[?]"
	if key.exact && key.kinds == isNumber {
		name = in.name + "[" + key.text + "]"
		n, err := strconv.Atoi(key.text)
		if err != nil || n < 1 {
			r.report("index-from-one", e.At,
				"%s is always nil, because Lua counts from 1: write %s[1] for the first one.", name, in.name)
			return &value{kinds: isNil}
		}
		if _, used := in.used[n]; !used {
			in.used[n] = e.At
		}
		r.checkCount(e.At, in, name, n)
	} else {
		in.all = true
	}
	return &value{kinds: isText | isNil, parts: []part{{in.from, name}}}
}

// constructor evaluates {a, b, name = c}. length counts the listed values, those of a call at the
// end included as far as they are known: a reply ends at the first nil among them.
func (r *run) constructor(e *syntax.TableExpr) *value {
	t := &table{items: make(map[string]*value)}
	n := 0
	for i, item := range e.Items {
		if item.Key != nil {
			key, v := r.eval(item.Key), r.eval(item.Value)
			name := ""
			if key.exact {
				name = key.text
			}
			t.set(name, v)
			continue
		}
		if i == len(e.Items)-1 {
			values, rest := r.list([]syntax.Expr{item.Value})
			for _, v := range values {
				n++
				t.items[strconv.Itoa(n)] = v
			}
			t.rest = join(t.rest, rest)
			continue
		}
		n++
		t.items[strconv.Itoa(n)] = r.eval(item.Value)
	}
	t.length = n
	return &value{kinds: isTable, table: t}
}

// unary evaluates not, # and -. A length remembers the table it is the length of, by which a loop
// up to it is recognized; but not that of KEYS and ARGV, whose number refineCount looks at.
func (r *run) unary(e *syntax.UnaryExpr) *value {
	v := r.eval(e.Inner)
	switch e.Op {
	case syntax.OpNot:
		return boolean(v)
	case syntax.OpLength:
		r.uses(e.At, v, "its length")
		n := numberOf(v)
		n.table, n.length = v.table, true
		if v.table != nil && v.table.input != nil {
			n.table = nil
		}
		return n
	}
	r.uses(e.At, v, "arithmetic on it")
	n := numberOf(v)
	n.fraction, n.divided = v.fraction, v.divided
	return n
}

func (r *run) binary(e *syntax.BinaryExpr) *value {
	switch e.Op {
	case syntax.OpAnd, syntax.OpOr:
		return r.logical(e)
	}
	left, right := r.eval(e.Left), r.eval(e.Right)
	switch {
	case e.Op == syntax.OpConcat:
		r.operand(e, e.Left, left, "concatenating it")
		r.operand(e, e.Right, right, "concatenating it")
		r.losesDigits(e.Left, e.At, left)
		r.losesDigits(e.Right, e.At, right)
		return joined(left, right)
	case e.Op == syntax.OpEqual || e.Op == syntax.OpNotEqual:
		return r.equality(e, left, right)
	case e.Op > syntax.OpConcat:
		r.order(e, left, right)
		return boolean(left, right)
	}
	r.operand(e, e.Left, left, "arithmetic on it")
	r.operand(e, e.Right, right, "arithmetic on it")
	return arithmetic(e.Op, left, right)
}

// arithmetic returns what is known of the result of an operator, OpAdd to OpPow. A difference of
// two times is short again; the sum of a time and anything is a time. Seconds become micros by a
// factor of at least 1e5: from there on the number has more than the 14 digits that tostring
// writes.
func arithmetic(op syntax.Operator, left, right *value) *value {
	v := numberOf(left, right)
	factor, _ := strconv.ParseFloat(right.text, 64)
	switch op {
	case syntax.OpAdd, syntax.OpSub:
		v.fraction, v.divided = left.fraction || right.fraction, onlyDivided(left, right)
		v.micros = left.micros != right.micros || left.micros && op == syntax.OpAdd
		v.seconds = left.seconds != right.seconds
		v.length = left.length && right.isWhole()
		v.counts = left.counts
		if v.counts == nil {
			v.counts = right.counts
		}
	case syntax.OpMul:
		v.fraction, v.divided = left.fraction || right.fraction, onlyDivided(left, right)
		if right.seconds {
			factor, _ = strconv.ParseFloat(left.text, 64)
		}
		v.micros = (left.seconds || right.seconds) && factor >= 1e5
	case syntax.OpDiv:
		v.fraction = !left.length || !right.isWhole() // a list of tuples leaves no rest
		v.divided = v.fraction
	case syntax.OpMod:
		v.fraction, v.divided = left.fraction, left.divided
	}
	return v
}

// logical evaluates and, or. The right operand is evaluated only if the left one is true, or is
// not, so it sees a refined copy of the scope. What the copy learnt is dropped behind the operator:
// the operand may not have run.
func (r *run) logical(e *syntax.BinaryExpr) *value {
	r.chain(e)
	left := r.eval(e.Left)
	before := r.scope
	r.scope = before.clone()
	r.scope.branch()
	r.scope.check(left)
	r.refine(e.Left, e.Op == syntax.OpAnd)
	right := r.eval(e.Right)
	for v, known := range r.scope.values { // functions that the operand called may have assigned
		if before.values[v] == nil {
			before.values[v] = known
		}
	}
	r.scope = before
	kept := left.with(^isFalsy)
	if e.Op == syntax.OpAnd {
		kept = left.with(isFalsy)
	}
	var v *value
	switch {
	case kept.kinds == 0:
		c := *right
		v = &c
	default:
		v = join(kept, right)
	}
	v.tells(left)
	v.tells(right)
	return v
}

// function returns the value of a function of the script.
func (r *run) function(body *syntax.Function) *value {
	r.functions = append(r.functions, body)
	return &value{kinds: isFunction, body: body, parts: []part{{fromUnknown, "function"}}}
}
