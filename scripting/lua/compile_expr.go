package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// eval compiles an expression to one value.
func (fs *compiler) eval(e syntax.Expr) eval {
	fs.enter()
	defer fs.leave()
	if fs.multi {
		return fs.stored(e, fs.spread(e, fs.evalPlain(e)))
	}
	return fs.evalPlain(e)
}

// evalPlain is eval without a follower.
func (fs *compiler) evalPlain(e syntax.Expr) eval {
	switch e := e.(type) {
	case *syntax.LocalExpr:
		return fs.local(e.Variable)
	case *syntax.UpvalExpr:
		return fs.upvalue(e)
	case *syntax.GlobalExpr:
		return fs.global(e)
	case *syntax.IndexExpr:
		return fs.index(e)
	case *syntax.CallExpr:
		return fs.callOne(e)
	case *syntax.BinaryExpr:
		if syntax.IsNumeric(e) {
			n := fs.numericBinary(e)
			return func(f *frame) Value { return Number(n(f)) }
		}
		return fs.binary(e)
	case *syntax.UnaryExpr:
		return fs.unary(e)
	case *syntax.ParenExpr:
		return fs.eval(e.Inner)
	case *syntax.FunctionExpr:
		return fs.closure(e.Body)
	case *syntax.TableExpr:
		return fs.table(e)
	case syntax.DotsExpr:
		return func(f *frame) Value {
			if f.nextra == 0 {
				return Nil
			}
			return *(*Value)(f.extra)
		}
	}
	v, _ := fs.literal(e)
	return func(*frame) Value { return v }
}

// literal returns the value of a constant expression.
func (fs *compiler) literal(e syntax.Expr) (Value, bool) {
	switch e := e.(type) {
	case syntax.NilExpr:
		return Nil, true
	case syntax.BoolExpr:
		return Bool(e.Value), true
	case syntax.NumberExpr:
		return fs.number(e.Value), true
	case syntax.StringExpr:
		return fs.constant(e.Value).Value, true
	}
	return Nil, false
}

// number returns a constant. The first zero a function mentions decides the sign of all its zeros:
// Lua 5.1 keeps constants in a table, where 0 and -0 are one key.
func (fs *compiler) number(f float64) Value {
	v := Number(f)
	if f != 0 {
		return v
	}
	if fs.zero == nil {
		fs.zero = &v
	}
	return *fs.zero
}

// simple reports whether evaluating e runs no other code and makes nothing, so that it can neither
// change variables nor outlast a value held elsewhere.
func simple(e syntax.Expr) bool {
	switch e := e.(type) {
	case syntax.NilExpr, syntax.BoolExpr, syntax.NumberExpr, syntax.StringExpr, syntax.DotsExpr, *syntax.LocalExpr,
		*syntax.UpvalExpr:
		return true
	case *syntax.ParenExpr:
		return simple(e.Inner)
	}
	return false
}

// many compiles a call or "..." to all its values.
func (fs *compiler) many(e syntax.Expr) many {
	call, ok := e.(*syntax.CallExpr)
	if !ok {
		return (*frame).extras
	}
	fs.enter()
	defer fs.leave()
	invoke := fs.call(call)
	return func(f *frame) []Value { return invoke(f).results() }
}

// local compiles a local variable. Not inlined: a maker (see the essay of package lua).
//
//go:noinline
func (fs *compiler) local(v *syntax.Variable) eval {
	slot := uint8(v.Slot)
	if v.Cell() {
		return func(f *frame) Value { return f.slots[slot].cell().v }
	}
	return func(f *frame) Value { return f.slots[slot] }
}

// upvalue compiles an upvalue. Not inlined: a maker.
//
//go:noinline
func (fs *compiler) upvalue(e *syntax.UpvalExpr) eval {
	i := e.Index
	if e.Variable.Cell() {
		return func(f *frame) Value { return f.fn.ups[i].cell().v }
	}
	return func(f *frame) Value { return f.fn.ups[i] }
}

// global compiles a global variable: a field of the environment, looked for at its main position
// first.
func (fs *compiler) global(e *syntax.GlobalExpr) eval {
	k := fs.constant(e.Name)
	pc := fs.site(e.Line, nameNone, "")
	return func(f *frame) Value {
		t := f.fn.env
		if n := t.main(k.hash); n.key == k.Value && n.val.p != nil {
			return n.val
		}
		return f.lookUpField(t.Value(), &k, pc)
	}
}

// index performs o[k] at a site when the fast path fails. Not inlined: a slow path.
//
//go:noinline
func (f *frame) index(o, k Value, pc uint32) Value {
	f.pc = pc
	return f.L.index(o, k, &f.fn.proto.sites[pc])
}

// setIndex performs o[k] = v at a site when the fast path fails. Not inlined: a slow path.
//
//go:noinline
func (f *frame) setIndex(o, k, v Value, pc uint32) {
	f.pc = pc
	f.L.setIndex(o, k, v, &f.fn.proto.sites[pc])
}

func (fs *compiler) unary(e *syntax.UnaryExpr) eval {
	if e.Op == syntax.OpNot {
		t := fs.test(e.Inner)
		return func(f *frame) Value { return Bool(!t(f)) }
	}
	inner := fs.eval(e.Inner)
	pc := fs.siteOf(e.Line, e.Inner)
	if e.Op == syntax.OpLength {
		return func(f *frame) Value {
			v := inner(f)
			if v.n == tagTable {
				return Int((*Table)(v.p).Len())
			}
			f.pc = pc
			return f.L.length(v, &f.fn.proto.sites[pc])
		}
	}
	return func(f *frame) Value {
		v := inner(f)
		if v.IsNumber() {
			return Number(-v.num())
		}
		f.pc = pc
		return f.L.negate(v, &f.fn.proto.sites[pc])
	}
}

// binary compiles operators on values. Comparisons are tests first: most stand in conditions, which
// need no boolean.
func (fs *compiler) binary(e *syntax.BinaryExpr) eval {
	if decided(e) {
		return fs.eval(e.Right)
	}
	switch e.Op {
	case syntax.OpAnd:
		a, b := fs.evalAt(e.Left, e.OpLine), fs.evalAt(e.Right, e.Line)
		return func(f *frame) Value {
			if v := a(f); !v.Truthy() {
				return v
			}
			return b(f)
		}
	case syntax.OpOr:
		a, b := fs.evalAt(e.Left, e.OpLine), fs.evalAt(e.Right, e.Line)
		return func(f *frame) Value {
			if v := a(f); v.Truthy() {
				return v
			}
			return b(f)
		}
	case syntax.OpConcat:
		return fs.concat(e)
	case syntax.OpAdd, syntax.OpSub, syntax.OpMul, syntax.OpDiv, syntax.OpMod, syntax.OpPow:
		return fs.arithmetic(e)
	}
	t := fs.test(e)
	return func(f *frame) Value { return Bool(t(f)) }
}

// closure compiles a function expression.
func (fs *compiler) closure(body *syntax.Function) eval {
	p := fs.unit.function(body, fs).proto
	sources := body.Captures
	for i := range sources {
		if sources[i].Local {
			sources[i].Index = sources[i].Variable.Slot
		}
	}
	return func(f *frame) Value {
		fn := f.L.newClosure(p, f.fn.env, len(sources))
		for i := range sources {
			if s := &sources[i]; s.Local {
				fn.ups[i] = f.slots[uint8(s.Index)]
			} else {
				fn.ups[i] = f.fn.ups[s.Index]
			}
		}
		return fn.Value()
	}
}

// newClosure returns a Lua function with room for n upvalues.
func (L *State) newClosure(p *Proto, env *Table, n int) *Function {
	L.Alloc(functionBytes + (n+1)&^1*valueBytes)
	switch {
	case n == 0:
		return &Function{proto: p, env: env}
	case n <= 2:
		fn := &struct {
			Function
			ups [2]Value
		}{Function: Function{proto: p, env: env}}
		fn.Function.ups = fn.ups[:n]
		return &fn.Function
	}
	return &Function{proto: p, env: env, ups: make([]Value, n)}
}

// concat compiles a chain of .. operators.
func (fs *compiler) concat(e *syntax.BinaryExpr) eval {
	var operands []syntax.Expr
	var lines []int // of the operators behind them
	var chain syntax.Expr = e
	for {
		b, ok := chain.(*syntax.BinaryExpr)
		if !ok || b.Op != syntax.OpConcat {
			break
		}
		operands, lines = append(operands, b.Left), append(lines, b.OpLine)
		chain = b.Right
	}
	operands, lines = append(operands, chain), append(lines, e.Line)
	free := fs.free
	n := len(operands)
	evals := make([]eval, n)
	// The operands' sites are consecutive, so that an error can name the one that cannot be joined.
	var pc, base uint32
	for i, o := range operands {
		evals[i] = fs.evalAt(o, lines[i])
		slot := fs.temp()
		if i == 0 {
			base = uint32(slot)
		}
	}
	for i, o := range operands {
		s := fs.siteOf(e.Line, o)
		if i == 0 {
			pc = s
		}
	}
	fs.free = free
	if n == 2 {
		return concatTwo(evals[0], evals[1], uint8(base), pc)
	}
	return func(f *frame) Value {
		operands := f.slots[base : int(base)+n]
		for i, e := range evals {
			operands[i] = e(f)
		}
		f.pc = pc
		return f.L.concat(operands, f.fn.proto.sites[pc:])
	}
}

// concatTwo compiles a .. b, the most frequent chain, without the loop over operands. slot holds a
// while b is evaluated. Not inlined: a maker.
//
//go:noinline
func concatTwo(a, b eval, slot uint8, pc uint32) eval {
	return func(f *frame) Value {
		f.slots[slot] = a(f)
		right := b(f)
		left := f.slots[slot]
		if size := int(left.n+right.n) & lenMask; left.IsString() && right.IsString() && size <= Piece {
			f.L.Alloc(stringBytes(size))
			f.L.work(size)
			return String(left.str() + right.str())
		}
		f.pc = pc
		operands := [2]Value{left, right}
		return f.L.concat(operands[:], f.fn.proto.sites[pc:])
	}
}

// isLocal reports whether e is a local variable. Lua's instructions name the registers of such
// operands, so they are read late: after the other operand, which may assign to them.
func isLocal(e syntax.Expr) bool {
	if p, ok := e.(*syntax.ParenExpr); ok {
		return isLocal(p.Inner)
	}
	_, ok := e.(*syntax.LocalExpr)
	return ok
}
