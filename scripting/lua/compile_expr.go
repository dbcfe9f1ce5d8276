package lua

// eval compiles an expression to one value.
func (c *compiler) eval(e expression) eval {
	c.enter()
	defer c.leave()
	switch e := e.(type) {
	case *localExpr:
		return c.local(e.variable)
	case *upvalExpr:
		return c.upvalue(e)
	case *globalExpr:
		return c.global(e)
	case *indexExpr:
		return c.index(e)
	case *callExpr:
		return c.callOne(e)
	case *binaryExpr:
		if isNumeric(e, true) {
			n := c.numericBinary(e)
			return func(f *Call) Value { return Number(n(f)) }
		}
		return c.binary(e)
	case *unaryExpr:
		return c.unary(e)
	case *parenExpr:
		return c.eval(e.inner)
	case *functionExpr:
		return c.closure(e.body)
	case *tableExpr:
		return c.table(e)
	case dotsExpr:
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
func (c *compiler) literal(e expression) (Value, bool) {
	switch e := e.(type) {
	case nilExpr:
		return Nil, true
	case boolExpr:
		return Bool(e.value), true
	case numberExpr:
		return c.number(e.value), true
	case stringExpr:
		return c.constant(e.value).Value, true
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
func simple(e expression) bool {
	switch e := e.(type) {
	case nilExpr, boolExpr, numberExpr, stringExpr, dotsExpr, *localExpr, *upvalExpr:
		return true
	case *parenExpr:
		return simple(e.inner)
	}
	return false
}

// isMany reports whether e may yield any number of values.
func isMany(e expression) bool {
	switch e.(type) {
	case *callExpr, dotsExpr:
		return true
	}
	return false
}

// many compiles a call or "..." to all its values.
func (c *compiler) many(e expression) many {
	call, ok := e.(*callExpr)
	if !ok {
		return (*Call).extras
	}
	c.enter()
	defer c.leave()
	invoke := c.call(call)
	return func(f *Call) []Value { return invoke(f).results() }
}

//go:noinline
func (c *compiler) local(v *variable) eval {
	slot := uint8(v.slot)
	if v.cell() {
		return func(f *Call) Value { return f.slots[slot].cell().v }
	}
	return func(f *Call) Value { return f.slots[slot] }
}

//go:noinline
func (c *compiler) upvalue(e *upvalExpr) eval {
	i := e.index
	if e.variable.cell() {
		return func(f *Call) Value { return f.fn.ups[i].cell().v }
	}
	return func(f *Call) Value { return f.fn.ups[i] }
}

func (c *compiler) global(e *globalExpr) eval {
	k := c.constant(e.name)
	pc := c.site(e.line, nameNone, "")
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

func (c *compiler) unary(e *unaryExpr) eval {
	if e.op == opNot {
		t := c.test(e.inner)
		return func(f *Call) Value { return Bool(!t(f)) }
	}
	inner := c.eval(e.inner)
	pc := c.siteOf(e.line, e.inner)
	if e.op == opLength {
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

func (c *compiler) binary(e *binaryExpr) eval {
	if decided(e) {
		return c.eval(e.right)
	}
	switch e.op {
	case opAnd:
		a, b := c.eval(e.left), c.eval(e.right)
		return func(f *Call) Value {
			if v := a(f); !v.Truthy() {
				return v
			}
			return b(f)
		}
	case opOr:
		a, b := c.eval(e.left), c.eval(e.right)
		return func(f *Call) Value {
			if v := a(f); v.Truthy() {
				return v
			}
			return b(f)
		}
	case opConcat:
		return c.concat(e)
	case opAdd, opSub, opMul, opDiv, opMod, opPow:
		return c.arithmetic(e)
	}
	t := c.test(e)
	return func(f *Call) Value { return Bool(t(f)) }
}

// closure compiles a function expression.
func (c *compiler) closure(body *functionBody) eval {
	p := c.unit.function(body, c).proto
	sources := body.captures
	for i := range sources {
		if sources[i].local {
			sources[i].index = sources[i].variable.slot
		}
	}
	return func(f *Call) Value {
		fn := f.L.newClosure(p, f.fn.env, len(sources))
		for i := range sources {
			if s := &sources[i]; s.local {
				fn.ups[i] = f.slots[uint8(s.index)]
			} else {
				fn.ups[i] = f.fn.ups[s.index]
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
func (c *compiler) concat(e *binaryExpr) eval {
	var operands []expression
	var chain expression = e
	for {
		b, ok := chain.(*binaryExpr)
		if !ok || b.op != opConcat {
			break
		}
		operands = append(operands, b.left)
		chain = b.right
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
		s := c.siteOf(e.line, o)
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
		if size := int(left.n+right.n) & lenMask; left.IsString() && right.IsString() && size <= piece {
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
func isLocal(e expression) bool {
	if p, ok := e.(*parenExpr); ok {
		return isLocal(p.inner)
	}
	_, ok := e.(*localExpr)
	return ok
}
