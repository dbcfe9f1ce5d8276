package lua

// arithmetic compiles + - * / % ^, by the shapes of the operands.
func (c *compiler) arithmetic(e *binaryExpr) eval {
	both := c.operands(e.left, e.right, true)
	a, b := both.a, both.b
	pc := c.siteOf(e.line, e.left)
	c.siteOf(e.line, e.right)
	switch {
	case a.local && b.isNumber():
		return arithLocalConstant(e.op, a.slot, b.value.num(), pc)
	case a.local && b.local:
		return arithLocals(e.op, a.slot, b.slot, pc)
	case b.isNumber():
		return arithConstant(e.op, a.eval, b.value.num(), pc)
	case a.local:
		return arithLocalFirst(e.op, a.slot, b.eval, pc)
	case b.local && !both.late && e.op <= opMul:
		return arithLocalSecond(e.op, both, pc)
	}
	return arithGeneral(e.op, both, pc)
}

// arith performs an operation at a site when the quick way fails.
//
//go:noinline
func (f *Call) arith(op operator, a, b Value, pc uint32) Value {
	f.pc = pc
	return f.L.arith(op, a, b, f.fn.proto.sites[pc:])
}

func arithLocalConstant(op operator, i uint8, k float64, pc uint32) eval {
	kv := Number(k)
	switch op {
	case opAdd:
		return func(f *Call) Value {
			if a := &f.slots[i]; a.IsNumber() {
				return Number(a.num() + k)
			}
			return f.arith(opAdd, f.slots[i], kv, pc)
		}
	case opSub:
		return func(f *Call) Value {
			if a := &f.slots[i]; a.IsNumber() {
				return Number(a.num() - k)
			}
			return f.arith(opSub, f.slots[i], kv, pc)
		}
	case opMul:
		return func(f *Call) Value {
			if a := &f.slots[i]; a.IsNumber() {
				return Number(a.num() * k)
			}
			return f.arith(opMul, f.slots[i], kv, pc)
		}
	case opDiv:
		return func(f *Call) Value {
			if a := &f.slots[i]; a.IsNumber() {
				return Number(a.num() / k)
			}
			return f.arith(opDiv, f.slots[i], kv, pc)
		}
	case opMod:
		return func(f *Call) Value {
			if a := &f.slots[i]; a.IsNumber() {
				return Number(modulo(a.num(), k))
			}
			return f.arith(opMod, f.slots[i], kv, pc)
		}
	}
	return func(f *Call) Value {
		if a := &f.slots[i]; a.IsNumber() {
			return Number(power(a.num(), k))
		}
		return f.arith(opPow, f.slots[i], kv, pc)
	}
}

func arithLocals(op operator, i, j uint8, pc uint32) eval {
	switch op {
	case opAdd:
		return func(f *Call) Value {
			a, b := &f.slots[i], &f.slots[j]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() + b.num())
			}
			return f.arith(opAdd, *a, *b, pc)
		}
	case opSub:
		return func(f *Call) Value {
			a, b := &f.slots[i], &f.slots[j]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() - b.num())
			}
			return f.arith(opSub, *a, *b, pc)
		}
	case opMul:
		return func(f *Call) Value {
			a, b := &f.slots[i], &f.slots[j]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() * b.num())
			}
			return f.arith(opMul, *a, *b, pc)
		}
	case opDiv:
		return func(f *Call) Value {
			a, b := &f.slots[i], &f.slots[j]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() / b.num())
			}
			return f.arith(opDiv, *a, *b, pc)
		}
	}
	return func(f *Call) Value {
		a, b := &f.slots[i], &f.slots[j]
		if a.IsNumber() && b.IsNumber() {
			return Number(compute(op, a.num(), b.num()))
		}
		return f.arith(op, *a, *b, pc)
	}
}

func arithConstant(op operator, value eval, k float64, pc uint32) eval {
	kv := Number(k)
	switch op {
	case opAdd:
		return func(f *Call) Value {
			a := value(f)
			if a.IsNumber() {
				return Number(a.num() + k)
			}
			return f.arith(opAdd, a, kv, pc)
		}
	case opSub:
		return func(f *Call) Value {
			a := value(f)
			if a.IsNumber() {
				return Number(a.num() - k)
			}
			return f.arith(opSub, a, kv, pc)
		}
	case opMul:
		return func(f *Call) Value {
			a := value(f)
			if a.IsNumber() {
				return Number(a.num() * k)
			}
			return f.arith(opMul, a, kv, pc)
		}
	case opDiv:
		return func(f *Call) Value {
			a := value(f)
			if a.IsNumber() {
				return Number(a.num() / k)
			}
			return f.arith(opDiv, a, kv, pc)
		}
	case opMod:
		return func(f *Call) Value {
			a := value(f)
			if a.IsNumber() {
				return Number(modulo(a.num(), k))
			}
			return f.arith(opMod, a, kv, pc)
		}
	}
	return func(f *Call) Value {
		a := value(f)
		if a.IsNumber() {
			return Number(power(a.num(), k))
		}
		return f.arith(opPow, a, kv, pc)
	}
}

//go:noinline
func arithLocalFirst(op operator, i uint8, second eval, pc uint32) eval {
	switch op {
	case opAdd:
		return func(f *Call) Value {
			b := second(f)
			a := &f.slots[i]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() + b.num())
			}
			return f.arith(opAdd, *a, b, pc)
		}
	case opSub:
		return func(f *Call) Value {
			b := second(f)
			a := &f.slots[i]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() - b.num())
			}
			return f.arith(opSub, *a, b, pc)
		}
	case opMul:
		return func(f *Call) Value {
			b := second(f)
			a := &f.slots[i]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() * b.num())
			}
			return f.arith(opMul, *a, b, pc)
		}
	}
	return func(f *Call) Value {
		b := second(f)
		a := &f.slots[i]
		if a.IsNumber() && b.IsNumber() {
			return Number(compute(op, a.num(), b.num()))
		}
		return f.arith(op, *a, b, pc)
	}
}

//go:noinline
func arithLocalSecond(op operator, s *sides, pc uint32) eval {
	first, j := s.a.eval, s.b.slot
	switch op {
	case opAdd:
		return func(f *Call) Value {
			a := first(f)
			b := &f.slots[j]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() + b.num())
			}
			return f.arith(opAdd, a, *b, pc)
		}
	case opSub:
		return func(f *Call) Value {
			a := first(f)
			b := &f.slots[j]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() - b.num())
			}
			return f.arith(opSub, a, *b, pc)
		}
	}
	return func(f *Call) Value {
		a := first(f)
		b := &f.slots[j]
		if a.IsNumber() && b.IsNumber() {
			return Number(a.num() * b.num())
		}
		return f.arith(opMul, a, *b, pc)
	}
}

//go:noinline
func arithGeneral(op operator, s *sides, pc uint32) eval {
	if s.late || op > opDiv {
		return func(f *Call) Value {
			x, y := s.values(f)
			if x.IsNumber() && y.IsNumber() {
				return Number(compute(op, x.num(), y.num()))
			}
			return f.arith(op, x, y, pc)
		}
	}
	a, b := s.a.eval, s.b.eval
	switch op {
	case opAdd:
		return func(f *Call) Value {
			x := a(f)
			if !x.IsNumber() {
				return f.arithHeld(opAdd, x, s, pc)
			}
			y := b(f)
			if !y.IsNumber() {
				return f.arith(opAdd, x, y, pc)
			}
			return Number(x.num() + y.num())
		}
	case opSub:
		return func(f *Call) Value {
			x := a(f)
			if !x.IsNumber() {
				return f.arithHeld(opSub, x, s, pc)
			}
			y := b(f)
			if !y.IsNumber() {
				return f.arith(opSub, x, y, pc)
			}
			return Number(x.num() - y.num())
		}
	case opMul:
		return func(f *Call) Value {
			x := a(f)
			if !x.IsNumber() {
				return f.arithHeld(opMul, x, s, pc)
			}
			y := b(f)
			if !y.IsNumber() {
				return f.arith(opMul, x, y, pc)
			}
			return Number(x.num() * y.num())
		}
	}
	return func(f *Call) Value {
		x := a(f)
		if !x.IsNumber() {
			return f.arithHeld(opDiv, x, s, pc)
		}
		y := b(f)
		if !y.IsNumber() {
			return f.arith(opDiv, x, y, pc)
		}
		return Number(x.num() / y.num())
	}
}

// arithHeld goes on after a first operand that is no number.
//
//go:noinline
func (f *Call) arithHeld(op operator, x Value, s *sides, pc uint32) Value {
	f.slots[s.slot] = x
	y := s.b.eval(f)
	return f.arith(op, f.slots[s.slot], y, pc)
}
