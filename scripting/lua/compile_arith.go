package lua

import (
	"github.com/miniserver-go/miniserver/scripting/lua/number"
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// arithmetic compiles + - * / % ^, by the shapes of the operands.
func (c *compiler) arithmetic(e *syntax.BinaryExpr) eval {
	both := c.operands(e.Left, e.Right, true)
	a, b := both.a, both.b
	pc := c.siteOf(e.Line, e.Left)
	c.siteOf(e.Line, e.Right)
	switch {
	case a.local && b.isNumber():
		return arithLocalConstant(e.Op, a.slot, b.value.num(), pc)
	case a.local && b.local:
		return arithLocals(e.Op, a.slot, b.slot, pc)
	case b.isNumber():
		return arithConstant(e.Op, a.eval, b.value.num(), pc)
	case a.local:
		return arithLocalFirst(e.Op, a.slot, b.eval, pc)
	case b.local && !both.late && e.Op <= syntax.OpMul:
		return arithLocalSecond(e.Op, both, pc)
	}
	return arithGeneral(e.Op, both, pc)
}

// arith performs an operation at a site when the quick way fails.
//
//go:noinline
func (f *Call) arith(op syntax.Operator, a, b Value, pc uint32) Value {
	f.pc = pc
	return f.L.arith(op, a, b, f.fn.proto.sites[pc:])
}

func arithLocalConstant(op syntax.Operator, i uint8, k float64, pc uint32) eval {
	kv := Number(k)
	switch op {
	case syntax.OpAdd:
		return func(f *Call) Value {
			if a := &f.slots[i]; a.IsNumber() {
				return Number(a.num() + k)
			}
			return f.arith(syntax.OpAdd, f.slots[i], kv, pc)
		}
	case syntax.OpSub:
		return func(f *Call) Value {
			if a := &f.slots[i]; a.IsNumber() {
				return Number(a.num() - k)
			}
			return f.arith(syntax.OpSub, f.slots[i], kv, pc)
		}
	case syntax.OpMul:
		return func(f *Call) Value {
			if a := &f.slots[i]; a.IsNumber() {
				return Number(a.num() * k)
			}
			return f.arith(syntax.OpMul, f.slots[i], kv, pc)
		}
	case syntax.OpDiv:
		return func(f *Call) Value {
			if a := &f.slots[i]; a.IsNumber() {
				return Number(a.num() / k)
			}
			return f.arith(syntax.OpDiv, f.slots[i], kv, pc)
		}
	case syntax.OpMod:
		return func(f *Call) Value {
			if a := &f.slots[i]; a.IsNumber() {
				return Number(number.Modulo(a.num(), k))
			}
			return f.arith(syntax.OpMod, f.slots[i], kv, pc)
		}
	}
	return func(f *Call) Value {
		if a := &f.slots[i]; a.IsNumber() {
			return Number(number.Power(a.num(), k))
		}
		return f.arith(syntax.OpPow, f.slots[i], kv, pc)
	}
}

func arithLocals(op syntax.Operator, i, j uint8, pc uint32) eval {
	switch op {
	case syntax.OpAdd:
		return func(f *Call) Value {
			a, b := &f.slots[i], &f.slots[j]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() + b.num())
			}
			return f.arith(syntax.OpAdd, *a, *b, pc)
		}
	case syntax.OpSub:
		return func(f *Call) Value {
			a, b := &f.slots[i], &f.slots[j]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() - b.num())
			}
			return f.arith(syntax.OpSub, *a, *b, pc)
		}
	case syntax.OpMul:
		return func(f *Call) Value {
			a, b := &f.slots[i], &f.slots[j]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() * b.num())
			}
			return f.arith(syntax.OpMul, *a, *b, pc)
		}
	case syntax.OpDiv:
		return func(f *Call) Value {
			a, b := &f.slots[i], &f.slots[j]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() / b.num())
			}
			return f.arith(syntax.OpDiv, *a, *b, pc)
		}
	}
	return func(f *Call) Value {
		a, b := &f.slots[i], &f.slots[j]
		if a.IsNumber() && b.IsNumber() {
			return Number(op.Compute(a.num(), b.num()))
		}
		return f.arith(op, *a, *b, pc)
	}
}

func arithConstant(op syntax.Operator, value eval, k float64, pc uint32) eval {
	kv := Number(k)
	switch op {
	case syntax.OpAdd:
		return func(f *Call) Value {
			a := value(f)
			if a.IsNumber() {
				return Number(a.num() + k)
			}
			return f.arith(syntax.OpAdd, a, kv, pc)
		}
	case syntax.OpSub:
		return func(f *Call) Value {
			a := value(f)
			if a.IsNumber() {
				return Number(a.num() - k)
			}
			return f.arith(syntax.OpSub, a, kv, pc)
		}
	case syntax.OpMul:
		return func(f *Call) Value {
			a := value(f)
			if a.IsNumber() {
				return Number(a.num() * k)
			}
			return f.arith(syntax.OpMul, a, kv, pc)
		}
	case syntax.OpDiv:
		return func(f *Call) Value {
			a := value(f)
			if a.IsNumber() {
				return Number(a.num() / k)
			}
			return f.arith(syntax.OpDiv, a, kv, pc)
		}
	case syntax.OpMod:
		return func(f *Call) Value {
			a := value(f)
			if a.IsNumber() {
				return Number(number.Modulo(a.num(), k))
			}
			return f.arith(syntax.OpMod, a, kv, pc)
		}
	}
	return func(f *Call) Value {
		a := value(f)
		if a.IsNumber() {
			return Number(number.Power(a.num(), k))
		}
		return f.arith(syntax.OpPow, a, kv, pc)
	}
}

//go:noinline
func arithLocalFirst(op syntax.Operator, i uint8, second eval, pc uint32) eval {
	switch op {
	case syntax.OpAdd:
		return func(f *Call) Value {
			b := second(f)
			a := &f.slots[i]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() + b.num())
			}
			return f.arith(syntax.OpAdd, *a, b, pc)
		}
	case syntax.OpSub:
		return func(f *Call) Value {
			b := second(f)
			a := &f.slots[i]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() - b.num())
			}
			return f.arith(syntax.OpSub, *a, b, pc)
		}
	case syntax.OpMul:
		return func(f *Call) Value {
			b := second(f)
			a := &f.slots[i]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() * b.num())
			}
			return f.arith(syntax.OpMul, *a, b, pc)
		}
	}
	return func(f *Call) Value {
		b := second(f)
		a := &f.slots[i]
		if a.IsNumber() && b.IsNumber() {
			return Number(op.Compute(a.num(), b.num()))
		}
		return f.arith(op, *a, b, pc)
	}
}

//go:noinline
func arithLocalSecond(op syntax.Operator, s *sides, pc uint32) eval {
	first, j := s.a.eval, s.b.slot
	switch op {
	case syntax.OpAdd:
		return func(f *Call) Value {
			a := first(f)
			b := &f.slots[j]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() + b.num())
			}
			return f.arith(syntax.OpAdd, a, *b, pc)
		}
	case syntax.OpSub:
		return func(f *Call) Value {
			a := first(f)
			b := &f.slots[j]
			if a.IsNumber() && b.IsNumber() {
				return Number(a.num() - b.num())
			}
			return f.arith(syntax.OpSub, a, *b, pc)
		}
	}
	return func(f *Call) Value {
		a := first(f)
		b := &f.slots[j]
		if a.IsNumber() && b.IsNumber() {
			return Number(a.num() * b.num())
		}
		return f.arith(syntax.OpMul, a, *b, pc)
	}
}

//go:noinline
func arithGeneral(op syntax.Operator, s *sides, pc uint32) eval {
	if s.late || op > syntax.OpDiv {
		return func(f *Call) Value {
			x, y := s.values(f)
			if x.IsNumber() && y.IsNumber() {
				return Number(op.Compute(x.num(), y.num()))
			}
			return f.arith(op, x, y, pc)
		}
	}
	a, b := s.a.eval, s.b.eval
	switch op {
	case syntax.OpAdd:
		return func(f *Call) Value {
			x := a(f)
			if !x.IsNumber() {
				return f.arithHeld(syntax.OpAdd, x, s, pc)
			}
			y := b(f)
			if !y.IsNumber() {
				return f.arith(syntax.OpAdd, x, y, pc)
			}
			return Number(x.num() + y.num())
		}
	case syntax.OpSub:
		return func(f *Call) Value {
			x := a(f)
			if !x.IsNumber() {
				return f.arithHeld(syntax.OpSub, x, s, pc)
			}
			y := b(f)
			if !y.IsNumber() {
				return f.arith(syntax.OpSub, x, y, pc)
			}
			return Number(x.num() - y.num())
		}
	case syntax.OpMul:
		return func(f *Call) Value {
			x := a(f)
			if !x.IsNumber() {
				return f.arithHeld(syntax.OpMul, x, s, pc)
			}
			y := b(f)
			if !y.IsNumber() {
				return f.arith(syntax.OpMul, x, y, pc)
			}
			return Number(x.num() * y.num())
		}
	}
	return func(f *Call) Value {
		x := a(f)
		if !x.IsNumber() {
			return f.arithHeld(syntax.OpDiv, x, s, pc)
		}
		y := b(f)
		if !y.IsNumber() {
			return f.arith(syntax.OpDiv, x, y, pc)
		}
		return Number(x.num() / y.num())
	}
}

// arithHeld goes on after a first operand that is no number.
//
//go:noinline
func (f *Call) arithHeld(op syntax.Operator, x Value, s *sides, pc uint32) Value {
	f.slots[s.slot] = x
	y := s.b.eval(f)
	return f.arith(op, f.slots[s.slot], y, pc)
}
