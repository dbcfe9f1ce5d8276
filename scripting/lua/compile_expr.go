package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// eval compiles an expression to one value.
func (c *compiler) eval(e syntax.Expr) eval {
	c.enter()
	defer c.leave()
	switch e := e.(type) {
	case *syntax.LocalExpr:
		return c.local(e.Variable)
	case *syntax.UpvalExpr:
		return c.upvalue(e)
	case *syntax.GlobalExpr:
		return c.global(e)
	case *syntax.IndexExpr:
		return c.index(e)
	case *syntax.CallExpr:
		return c.callOne(e)
	case *syntax.BinaryExpr:
		if syntax.IsNumeric(e) {
			n := c.numericBinary(e)
			return func(f *Call) Value { return Number(n(f)) }
		}
		return c.binary(e)
	case *syntax.UnaryExpr:
		return c.unary(e)
	case *syntax.ParenExpr:
		return c.eval(e.Inner)
	case *syntax.FunctionExpr:
		return c.closure(e.Body)
	case *syntax.TableExpr:
		return c.table(e)
	case syntax.DotsExpr:
		return func(f *Call) Value {
			if f.nextra == 0 {
				return Nil
			}
			return *(*Value)(f.extra)
		}
	}
	v, _ := c.literal(e)
	return func(*Call) Value { return v }
}

// literal returns the value of a constant expression.
func (c *compiler) literal(e syntax.Expr) (Value, bool) {
	switch e := e.(type) {
	case syntax.NilExpr:
		return Nil, true
	case syntax.BoolExpr:
		return Bool(e.Value), true
	case syntax.NumberExpr:
		return c.number(e.Value), true
	case syntax.StringExpr:
		return c.constant(e.Value).Value, true
	}
	return Nil, false
}

// number returns a constant. The first zero a function mentions decides the sign of all its zeros:
// Lua 5.1 keeps constants in a table, where 0 and -0 are one key.
func (c *compiler) number(f float64) Value {
	v := Number(f)
	if f != 0 {
		return v
	}
	if c.zero == nil {
		c.zero = &v
	}
	return *c.zero
}

// simple reports whether evaluating e runs no other code and makes nothing, so that it can neither
// change variables nor outlast a value held elsewhere.
func simple(e syntax.Expr) bool {
	switch e := e.(type) {
	case syntax.NilExpr, syntax.BoolExpr, syntax.NumberExpr, syntax.StringExpr, syntax.DotsExpr, *syntax.LocalExpr, *syntax.UpvalExpr:
		return true
	case *syntax.ParenExpr:
		return simple(e.Inner)
	}
	return false
}

// many compiles a call or "..." to all its values.
func (c *compiler) many(e syntax.Expr) many {
	call, ok := e.(*syntax.CallExpr)
	if !ok {
		return (*Call).extras
	}
	c.enter()
	defer c.leave()
	invoke := c.call(call)
	return func(f *Call) []Value { return invoke(f).results() }
}

//go:noinline
func (c *compiler) local(v *syntax.Variable) eval {
	slot := uint8(v.Slot)
	if v.Cell() {
		return func(f *Call) Value { return f.slots[slot].cell().v }
	}
	return func(f *Call) Value { return f.slots[slot] }
}

//go:noinline
func (c *compiler) upvalue(e *syntax.UpvalExpr) eval {
	i := e.Index
	if e.Variable.Cell() {
		return func(f *Call) Value { return f.fn.ups[i].cell().v }
	}
	return func(f *Call) Value { return f.fn.ups[i] }
}

func (c *compiler) global(e *syntax.GlobalExpr) eval {
	k := c.constant(e.Name)
	pc := c.site(e.Line, nameNone, "")
	return func(f *Call) Value {
		t := f.fn.env
		if n := t.main(k.hash); n.key == k.Value && n.val.p != nil {
			return n.val
		}
		return f.lookUpField(t.Value(), &k, pc)
	}
}

// index performs o[k] at a site when the quick way fails.
//
//go:noinline
func (f *Call) index(o, k Value, pc uint32) Value {
	f.pc = pc
	return f.L.index(o, k, &f.fn.proto.sites[pc])
}

// setIndex performs o[k] = v at a site when the quick way fails.
//
//go:noinline
func (f *Call) setIndex(o, k, v Value, pc uint32) {
	f.pc = pc
	f.L.setIndex(o, k, v, &f.fn.proto.sites[pc])
}

func (c *compiler) unary(e *syntax.UnaryExpr) eval {
	if e.Op == syntax.OpNot {
		t := c.test(e.Inner)
		return func(f *Call) Value { return Bool(!t(f)) }
	}
	inner := c.eval(e.Inner)
	pc := c.siteOf(e.Line, e.Inner)
	if e.Op == syntax.OpLength {
		return func(f *Call) Value {
			v := inner(f)
			if v.n == tagTable {
				return Int((*Table)(v.p).Len())
			}
			f.pc = pc
			return f.L.length(v, &f.fn.proto.sites[pc])
		}
	}
	return func(f *Call) Value {
		v := inner(f)
		if v.IsNumber() {
			return Number(-v.num())
		}
		f.pc = pc
		return f.L.negate(v, &f.fn.proto.sites[pc])
	}
}

func (c *compiler) binary(e *syntax.BinaryExpr) eval {
	if decided(e) {
		return c.eval(e.Right)
	}
	switch e.Op {
	case syntax.OpAnd:
		a, b := c.eval(e.Left), c.eval(e.Right)
		return func(f *Call) Value {
			if v := a(f); !v.Truthy() {
				return v
			}
			return b(f)
		}
	case syntax.OpOr:
		a, b := c.eval(e.Left), c.eval(e.Right)
		return func(f *Call) Value {
			if v := a(f); v.Truthy() {
				return v
			}
			return b(f)
		}
	case syntax.OpConcat:
		return c.concat(e)
	case syntax.OpAdd, syntax.OpSub, syntax.OpMul, syntax.OpDiv, syntax.OpMod, syntax.OpPow:
		return c.arithmetic(e)
	}
	t := c.test(e)
	return func(f *Call) Value { return Bool(t(f)) }
}

// closure compiles a function expression.
func (c *compiler) closure(body *syntax.Function) eval {
	p := c.unit.function(body, c).proto
	sources := body.Captures
	for i := range sources {
		if sources[i].Local {
			sources[i].Index = sources[i].Variable.Slot
		}
	}
	return func(f *Call) Value {
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
func (c *compiler) concat(e *syntax.BinaryExpr) eval {
	var operands []syntax.Expr
	var chain syntax.Expr = e
	for {
		b, ok := chain.(*syntax.BinaryExpr)
		if !ok || b.Op != syntax.OpConcat {
			break
		}
		operands = append(operands, b.Left)
		chain = b.Right
	}
	operands = append(operands, chain)
	free := c.free
	n := len(operands)
	evals := make([]eval, n)
	var pc, base uint32
	for i, o := range operands {
		evals[i] = c.eval(o)
		slot := c.temp()
		if i == 0 {
			base = uint32(slot)
		}
	}
	for i, o := range operands {
		s := c.siteOf(e.Line, o)
		if i == 0 {
			pc = s
		}
	}
	c.free = free
	if n == 2 {
		return concatTwo(evals[0], evals[1], uint8(base), pc)
	}
	return func(f *Call) Value {
		operands := f.slots[base : int(base)+n]
		for i, e := range evals {
			operands[i] = e(f)
		}
		f.pc = pc
		return f.L.concat(operands, f.fn.proto.sites[pc:])
	}
}

//go:noinline
func concatTwo(a, b eval, slot uint8, pc uint32) eval {
	return func(f *Call) Value {
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

// isLocal reports whether e is a plain local variable: such operands are read late, when the other
// one has been evaluated.
func isLocal(e syntax.Expr) bool {
	if p, ok := e.(*syntax.ParenExpr); ok {
		return isLocal(p.Inner)
	}
	_, ok := e.(*syntax.LocalExpr)
	return ok
}
