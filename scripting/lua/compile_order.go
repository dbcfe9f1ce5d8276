package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// test compiles an expression to a decision, without making booleans.
func (fs *compiler) test(e syntax.Expr) test {
	fs.enter()
	defer fs.leave()
	if fs.multi {
		return fs.spreadTest(e, fs.testPlain(e))
	}
	return fs.testPlain(e)
}

// testPlain is test without a follower.
func (fs *compiler) testPlain(e syntax.Expr) test {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		if !syntax.IsMany(e.Inner) {
			return fs.test(e.Inner)
		}
	case *syntax.UnaryExpr:
		if e.Op == syntax.OpNot {
			t := fs.test(e.Inner)
			return func(f *frame) bool { return !t(f) }
		}
	case *syntax.BinaryExpr:
		if t := fs.binaryTest(e); t != nil {
			return t
		}
	case *syntax.LocalExpr:
		if slot := uint8(e.Variable.Slot); !e.Variable.Cell() {
			return func(f *frame) bool { return f.slots[slot].Truthy() }
		}
	}
	if v, ok := fs.literal(e); ok {
		truth := v.Truthy()
		return func(*frame) bool { return truth }
	}
	value := fs.eval(e)
	return func(f *frame) bool { return value(f).Truthy() }
}

// binaryTest compiles logical operators and comparisons, nil for the others.
func (fs *compiler) binaryTest(e *syntax.BinaryExpr) test {
	if decided(e) {
		return fs.test(e.Right)
	}
	switch e.Op {
	case syntax.OpAnd:
		a, b := fs.testSides(e)
		return func(f *frame) bool { return a(f) && b(f) }
	case syntax.OpOr:
		a, b := fs.testSides(e)
		return func(f *frame) bool { return a(f) || b(f) }
	case syntax.OpEqual:
		return fs.equal(e)
	case syntax.OpNotEqual:
		t := fs.equal(e)
		return func(f *frame) bool { return !t(f) }
	case syntax.OpLess, syntax.OpLessEqual, syntax.OpGreater, syntax.OpGreaterEqual:
		return fs.order(e)
	}
	return nil
}

// operand is one side of an operator.
type operand struct {
	eval  eval
	local bool // a plain local variable, to be read late
	slot  uint8
	known bool // a constant
	value Value
}

func (o *operand) isNumber() bool { return o.known && o.value.IsNumber() }

// operand compiles a side and finds out what shape it has. Parentheses around one value change
// nothing.
func (fs *compiler) operand(e syntax.Expr) operand {
	o := operand{}
	switch e := e.(type) {
	case *syntax.ParenExpr:
		if !syntax.IsMany(e.Inner) {
			return fs.operand(e.Inner)
		}
	case *syntax.LocalExpr:
		o.local = !e.Variable.Cell()
		o.slot = uint8(e.Variable.Slot)
	}
	o.value, o.known = fs.literal(e)
	o.eval = fs.eval(e)
	return o
}

// sides are the operands of an operator.
type sides struct {
	a, b operand
	slot uint8 // keeps the first value while the second is evaluated, unless it is a number
	late bool  // the first is a variable, to be read after the second
}

// operands compiles both sides. A constant on the left of an arithmetic operator is compiled after
// the right side, as C Lua does: compiler.number depends on the order.
func (fs *compiler) operands(left, right syntax.Expr, arithmetic bool) *sides {
	if _, ok := left.(syntax.NumberExpr); ok && arithmetic {
		b := fs.operand(right)
		return &sides{a: fs.operand(left), b: b, slot: uint8(fs.free)}
	}
	p := &sides{a: fs.operand(left)}
	free := fs.free
	p.slot = fs.temp()
	p.b = fs.operand(right)
	fs.free = free
	p.late = isLocal(left) && !simple(right)
	return p
}

// values evaluates both sides.
func (s *sides) values(f *frame) (x, y Value) {
	if s.late {
		y = s.b.eval(f)
		return s.a.eval(f), y
	}
	x = s.a.eval(f)
	if x.IsNumber() {
		return x, s.b.eval(f)
	}
	f.slots[s.slot] = x
	y = s.b.eval(f)
	return f.slots[s.slot], y
}

// equal compiles ==.
func (fs *compiler) equal(e *syntax.BinaryExpr) test {
	if syntax.IsNumeric(e.Left) && syntax.IsNumeric(e.Right) {
		a, b := fs.numeric(e.Left), fs.numeric(e.Right)
		return func(f *frame) bool { x := a(f); return x == b(f) }
	}
	both := fs.operands(e.Left, e.Right, false)
	a, b := both.a, both.b
	pc := fs.site(e.Line, nameNone, "")
	switch {
	case b.known && b.value.IsString():
		return equalString(a.eval, b.value)
	case b.known && b.value.IsNumber():
		return equalNumber(a, b.value.num())
	case b.known:
		k := b.value
		value := a.eval
		return func(f *frame) bool { return value(f) == k }
	}
	return func(f *frame) bool {
		x, y := both.values(f)
		// The same two words are equal unless they are a number, which may be NaN. Objects with
		// different tags differ; only those with the same one may have __eq.
		if x == y && !x.IsNumber() {
			return true
		}
		if x.IsNumber() || x.n != y.n {
			return RawEqual(x, y)
		}
		f.pc = pc
		return f.L.Equal(x, y)
	}
}

// equalString compiles a == "k". Strings of one length are compared by address first: constants of
// a chunk share their bytes. Not inlined: a maker.
//
//go:noinline
func equalString(a eval, k Value) test {
	s := k.str()
	return func(f *frame) bool {
		v := a(f)
		return v.n == k.n && (v.p == k.p || v.str() == s)
	}
}

// equalNumber compiles a == k. Not inlined: a maker.
//
//go:noinline
func equalNumber(a operand, k float64) test {
	if a.local {
		slot := a.slot
		return func(f *frame) bool {
			v := &f.slots[slot]
			return v.IsNumber() && v.num() == k
		}
	}
	value := a.eval
	return func(f *frame) bool {
		v := value(f)
		return v.IsNumber() && v.num() == k
	}
}

// order compiles < <= > >=, by the shapes of the operands.
func (fs *compiler) order(e *syntax.BinaryExpr) test {
	if syntax.IsNumeric(e.Left) && syntax.IsNumeric(e.Right) {
		return fs.orderNumeric(e)
	}
	s := fs.operands(e.Left, e.Right, false)
	a, b := &s.a, &s.b
	pc := fs.site(e.Line, nameNone, "")
	switch {
	case a.local && b.isNumber():
		return orderLK(e.Op, a.slot, b.value.num(), pc)
	case a.local && b.local:
		return orderLL(e.Op, a.slot, b.slot, pc)
	case b.isNumber():
		return orderVK(e.Op, a.eval, b.value.num(), pc)
	}
	return orderVV(e.Op, s, pc)
}

// orderNumeric compares numeric expressions.
func (fs *compiler) orderNumeric(e *syntax.BinaryExpr) test {
	i, leftLocal := plainLocal(e.Left)
	j, rightLocal := plainLocal(e.Right)
	k, constant := e.Right.(syntax.NumberExpr)
	switch {
	case leftLocal && constant:
		return floatOrderLK(e.Op, i, fs.number(k.Value).num())
	case leftLocal && rightLocal:
		return floatOrderLL(e.Op, i, j)
	}
	a := fs.numeric(e.Left)
	if constant {
		return floatOrderVK(e.Op, a, fs.number(k.Value).num())
	}
	return floatOrderVV(e.Op, a, fs.numeric(e.Right))
}

// less performs a < b at a site when an operand is no number. Not inlined: a slow path.
//
//go:noinline
func (f *frame) less(a, b Value, pc uint32) bool {
	f.pc = pc
	return f.L.Less(a, b)
}

// lessEqual is less for a <= b. Not inlined: a slow path.
//
//go:noinline
func (f *frame) lessEqual(a, b Value, pc uint32) bool {
	f.pc = pc
	return f.L.LessEqual(a, b)
}
