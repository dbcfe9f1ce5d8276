package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

//go:generate go run ./generate

// arithmetic compiles + - * / % ^, by the shapes of the operands.
func (fs *compiler) arithmetic(e *syntax.BinaryExpr) eval {
	s := fs.operands(e.Left, e.Right, true)
	a, b := &s.a, &s.b
	pc := fs.siteOf(e.Line, e.Left)
	fs.siteOf(e.Line, e.Right)
	upToMod, upToDiv := e.Op <= syntax.OpMod, e.Op <= syntax.OpDiv
	switch {
	case upToMod && a.local && b.isNumber():
		return arithLK(e.Op, a.slot, b.value.num(), pc)
	case upToMod && a.local && b.local:
		return arithLL(e.Op, a.slot, b.slot, pc)
	case upToDiv && b.isNumber():
		return arithVK(e.Op, a.eval, b.value.num(), pc)
	case upToDiv && a.local:
		return arithLV(e.Op, a.slot, b.eval, pc)
	case s.late:
		return arithLate(e.Op, s, pc)
	case upToDiv && b.local:
		return arithVL(e.Op, a.eval, b.slot, pc)
	}
	return arithVV(e.Op, s, pc)
}

// arithLate compiles arithmetic on a variable in a cell and an expression, after which it is read.
// Not inlined: a maker.
//
//go:noinline
func arithLate(op syntax.Operator, s *sides, pc uint32) eval {
	return func(f *frame) Value {
		x, y := s.values(f)
		if x.IsNumber() && y.IsNumber() {
			return Number(op.Compute(x.num(), y.num()))
		}
		return f.arith(op, x, y, pc)
	}
}

// arith performs an operation at a site when an operand is no number. Not inlined: a slow path.
//
//go:noinline
func (f *frame) arith(op syntax.Operator, a, b Value, pc uint32) Value {
	f.pc = pc
	return f.L.arith(op, a, b, f.fn.proto.sites[pc:])
}

// arithHeld goes on after a first operand that is no number: it waits in a slot. Not inlined: a
// slow path.
//
//go:noinline
func (f *frame) arithHeld(op syntax.Operator, x Value, s *sides, pc uint32) Value {
	f.slots[s.slot] = x
	y := s.b.eval(f)
	return f.arith(op, f.slots[s.slot], y, pc)
}
