package lua

import "math"

// number is a compiled numeric expression: see numeric.go.
type number func(f *Call) float64

// numeric compiles an expression that isNumeric.
func (c *compiler) numeric(e expression) number {
	c.enter()
	defer c.leave()
	switch e := e.(type) {
	case numberExpr:
		k := c.number(e.value).num()
		return func(*Call) float64 { return k }
	case *parenExpr:
		return c.numeric(e.inner)
	case *localExpr:
		slot := uint8(e.variable.slot)
		if e.variable.cell() {
			return func(f *Call) float64 { return f.slots[slot].cell().v.num() }
		}
		return func(f *Call) float64 { return f.slots[slot].num() }
	case *upvalExpr:
		value := c.upvalue(e)
		return func(f *Call) float64 { return value(f).num() }
	case *unaryExpr:
		inner := c.numeric(e.inner)
		return func(f *Call) float64 { return -inner(f) }
	}
	return c.numericBinary(e.(*binaryExpr))
}

// plainLocal returns the slot of a numeric expression that is a local variable in a slot of its own.
func plainLocal(e expression) (slot uint8, ok bool) {
	l, ok := e.(*localExpr)
	if !ok || l.variable.cell() {
		return 0, false
	}
	return uint8(l.variable.slot), true
}

func (c *compiler) numericBinary(e *binaryExpr) number {
	if n := c.product(e); n != nil {
		return n
	}
	i, isLocal := plainLocal(e.left)
	_, constant := e.left.(numberExpr) // one that comes after the right side: see compiler.number
	if k, ok := e.right.(numberExpr); ok && !constant {
		if isLocal {
			return numericLocalConstant(e.op, i, c.number(k.value).num())
		}
		a := c.numeric(e.left)
		return numericConstant(e.op, a, c.number(k.value).num())
	}
	if j, ok := plainLocal(e.right); ok && isLocal && e.op <= opDiv {
		return numericLocals(e.op, i, j)
	}
	if j, ok := plainLocal(e.right); ok && !constant && e.op <= opMul {
		return numericLocalSecond(e.op, c.numeric(e.left), j)
	}
	if isLocal && e.op <= opMul {
		return numericLocalFirst(e.op, i, c.numeric(e.right))
	}
	var a, b number
	if constant {
		b = c.numeric(e.right)
		a = c.numeric(e.left)
	} else {
		a = c.numeric(e.left)
		b = c.numeric(e.right)
	}
	return numericGeneral(e.op, a, b)
}

// product compiles a*k + b and a*k - b where a is a local variable and b another or a constant; nil for
// everything else. The product is rounded before the sum, as the conversion says.
func (c *compiler) product(e *binaryExpr) number {
	left, ok := e.left.(*binaryExpr)
	if !ok || left.op != opMul || e.op != opAdd && e.op != opSub {
		return nil
	}
	i, isLocal := plainLocal(left.left)
	k, isNumber := left.right.(numberExpr)
	if !isLocal || !isNumber {
		return nil
	}
	by := c.number(k.value).num()
	if j, ok := plainLocal(e.right); ok {
		if e.op == opAdd {
			return func(f *Call) float64 { return float64(f.slots[i].num()*by) + f.slots[j].num() }
		}
		return func(f *Call) float64 { return float64(f.slots[i].num()*by) - f.slots[j].num() }
	}
	if constant, ok := e.right.(numberExpr); ok {
		with := c.number(constant.value).num()
		if e.op == opSub {
			with = -with
		}
		return func(f *Call) float64 { return float64(f.slots[i].num()*by) + with }
	}
	return nil
}

//go:noinline
func numericGeneral(op operator, a, b number) number {
	switch op {
	case opAdd:
		return func(f *Call) float64 { x := a(f); return x + b(f) }
	case opSub:
		return func(f *Call) float64 { x := a(f); return x - b(f) }
	case opMul:
		return func(f *Call) float64 { x := a(f); return x * b(f) }
	case opDiv:
		return func(f *Call) float64 { x := a(f); return x / b(f) }
	case opMod:
		return func(f *Call) float64 { x := a(f); return modulo(x, b(f)) }
	}
	return func(f *Call) float64 { x := a(f); return power(x, b(f)) }
}

func numericLocalConstant(op operator, i uint8, k float64) number {
	switch op {
	case opAdd:
		return func(f *Call) float64 { return f.slots[i].num() + k }
	case opSub:
		return func(f *Call) float64 { return f.slots[i].num() - k }
	case opMul:
		return func(f *Call) float64 { return f.slots[i].num() * k }
	case opDiv:
		return func(f *Call) float64 { return f.slots[i].num() / k }
	case opMod:
		return numericModulo(func(f *Call) float64 { return f.slots[i].num() }, k)
	}
	return func(f *Call) float64 { return power(f.slots[i].num(), k) }
}

func numericConstant(op operator, a number, k float64) number {
	switch op {
	case opAdd:
		return func(f *Call) float64 { return a(f) + k }
	case opSub:
		return func(f *Call) float64 { return a(f) - k }
	case opMul:
		return func(f *Call) float64 { return a(f) * k }
	case opDiv:
		return func(f *Call) float64 { return a(f) / k }
	case opMod:
		return numericModulo(a, k)
	}
	return func(f *Call) float64 { return power(a(f), k) }
}

//go:noinline
func numericLocals(op operator, i, j uint8) number {
	switch op {
	case opAdd:
		return func(f *Call) float64 { return f.slots[i].num() + f.slots[j].num() }
	case opSub:
		return func(f *Call) float64 { return f.slots[i].num() - f.slots[j].num() }
	case opMul:
		return func(f *Call) float64 { return f.slots[i].num() * f.slots[j].num() }
	}
	return func(f *Call) float64 { return f.slots[i].num() / f.slots[j].num() }
}

//go:noinline
func numericLocalFirst(op operator, i uint8, b number) number {
	switch op {
	case opAdd:
		return func(f *Call) float64 { y := b(f); return f.slots[i].num() + y }
	case opSub:
		return func(f *Call) float64 { y := b(f); return f.slots[i].num() - y }
	}
	return func(f *Call) float64 { y := b(f); return f.slots[i].num() * y }
}

//go:noinline
func numericLocalSecond(op operator, a number, j uint8) number {
	switch op {
	case opAdd:
		return func(f *Call) float64 { return a(f) + f.slots[j].num() }
	case opSub:
		return func(f *Call) float64 { return a(f) - f.slots[j].num() }
	}
	return func(f *Call) float64 { return a(f) * f.slots[j].num() }
}

// assignNumeric compiles the assignment of a numeric expression to a numeric variable: its slot holds a
// number already, so only the bits change.
func (c *compiler) assignNumeric(slot uint8, e expression) action {
	if b, ok := e.(*binaryExpr); ok {
		if i, ok := plainLocal(b.left); ok && i == slot {
			if b.op == opAdd {
				return addTo(slot, b.right, c)
			}
			if b.op == opSub {
				y := c.numeric(b.right)
				return func(f *Call) signal {
					d := y(f)
					v := &f.slots[slot]
					v.n = math.Float64bits(v.num() - d)
					return goOn
				}
			}
		}
	}
	if b, ok := e.(*binaryExpr); ok && b.op == opMod {
		if a := c.assignModulo(slot, b); a != nil {
			return a
		}
	}
	value := c.numeric(e)
	return func(f *Call) signal {
		f.slots[slot].n = math.Float64bits(value(f))
		return goOn
	}
}

// assignModulo compiles v = a % k for a divisor that has a quick way, nil for others.
func (c *compiler) assignModulo(slot uint8, e *binaryExpr) action {
	k, ok := e.right.(numberExpr)
	if _, constant := e.left.(numberExpr); !ok || constant {
		return nil
	}
	divisor, ok := newDivisor(k.value)
	if !ok {
		return nil
	}
	a, d := c.numeric(e.left), &divisor
	return func(f *Call) signal {
		x := a(f)
		r, ok := d.remainder(x)
		if !ok {
			r = modulo(x, d.k)
		}
		f.slots[slot].n = math.Float64bits(r)
		return goOn
	}
}

func addTo(slot uint8, e expression, c *compiler) action {
	if constant, ok := e.(numberExpr); ok {
		k := c.number(constant.value).num()
		return func(f *Call) signal {
			v := &f.slots[slot]
			v.n = math.Float64bits(v.num() + k)
			return goOn
		}
	}
	y := c.numeric(e)
	return func(f *Call) signal {
		d := y(f)
		v := &f.slots[slot]
		v.n = math.Float64bits(v.num() + d)
		return goOn
	}
}

// numericModulo compiles a % k.
func numericModulo(a number, k float64) number {
	divisor, ok := newDivisor(k)
	if !ok {
		return func(f *Call) float64 { return modulo(a(f), k) }
	}
	d := &divisor
	return func(f *Call) float64 {
		x := a(f)
		if r, ok := d.remainder(x); ok {
			return r
		}
		return modulo(x, d.k)
	}
}
