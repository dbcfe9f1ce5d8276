package lua

import (
	"math"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// evalFloat is a compiled numeric expression: see numeric.go.
type evalFloat func(f *frame) float64

// numeric compiles an expression that isNumeric.
func (fs *compiler) numeric(e syntax.Expr) evalFloat {
	fs.enter()
	defer fs.leave()
	switch e := e.(type) {
	case syntax.NumberExpr:
		k := fs.number(e.Value).num()
		return func(*frame) float64 { return k }
	case *syntax.ParenExpr:
		return fs.numeric(e.Inner)
	case *syntax.LocalExpr:
		slot := uint8(e.Variable.Slot)
		if e.Variable.Cell() {
			return func(f *frame) float64 { return f.slots[slot].cell().v.num() }
		}
		return func(f *frame) float64 { return f.slots[slot].num() }
	case *syntax.UpvalExpr:
		value := fs.upvalue(e)
		return func(f *frame) float64 { return value(f).num() }
	case *syntax.UnaryExpr:
		inner := fs.numeric(e.Inner)
		return func(f *frame) float64 { return -inner(f) }
	}
	return fs.numericBinary(e.(*syntax.BinaryExpr))
}

// plainLocal returns the slot of a numeric expression that is a local variable in a slot of its
// own.
func plainLocal(e syntax.Expr) (slot uint8, ok bool) {
	l, ok := e.(*syntax.LocalExpr)
	if !ok || l.Variable.Cell() {
		return 0, false
	}
	return uint8(l.Variable.Slot), true
}

// numericBinary compiles arithmetic on numeric expressions, by the shapes of the operands.
func (fs *compiler) numericBinary(e *syntax.BinaryExpr) evalFloat {
	if n := fs.product(e); n != nil {
		return n
	}
	_, constant := e.Left.(syntax.NumberExpr)
	if constant { // it comes after the right side: see compiler.number
		b := fs.numeric(e.Right)
		return floatVV(e.Op, fs.numeric(e.Left), b)
	}
	i, leftLocal := plainLocal(e.Left)
	j, rightLocal := plainLocal(e.Right)
	k, constant := e.Right.(syntax.NumberExpr)
	upToMod, upToDiv := e.Op <= syntax.OpMod, e.Op <= syntax.OpDiv
	switch {
	case e.Op == syntax.OpMod && constant:
		a := fs.numeric(e.Left)
		return numericModulo(a, fs.number(k.Value).num())
	case upToDiv && leftLocal && constant:
		return floatLK(e.Op, i, fs.number(k.Value).num())
	case upToMod && leftLocal && rightLocal:
		return floatLL(e.Op, i, j)
	case upToDiv && constant:
		a := fs.numeric(e.Left)
		return floatVK(e.Op, a, fs.number(k.Value).num())
	case upToDiv && rightLocal:
		return floatVL(e.Op, fs.numeric(e.Left), j)
	case upToDiv && leftLocal:
		return floatLV(e.Op, i, fs.numeric(e.Right))
	}
	a := fs.numeric(e.Left)
	return floatVV(e.Op, a, fs.numeric(e.Right))
}

// product compiles a*k + b and a*k - b where a is a local variable and b another or a constant; nil
// for everything else. The product is rounded before the sum, as the conversion says.
func (fs *compiler) product(e *syntax.BinaryExpr) evalFloat {
	left, ok := e.Left.(*syntax.BinaryExpr)
	if !ok || left.Op != syntax.OpMul || e.Op != syntax.OpAdd && e.Op != syntax.OpSub {
		return nil
	}
	i, isLocal := plainLocal(left.Left)
	k, isNumber := left.Right.(syntax.NumberExpr)
	if !isLocal || !isNumber {
		return nil
	}
	by := fs.number(k.Value).num()
	if j, ok := plainLocal(e.Right); ok {
		return productLKL(e.Op, i, by, j)
	}
	if constant, ok := e.Right.(syntax.NumberExpr); ok {
		with := fs.number(constant.Value).num()
		if e.Op == syntax.OpSub {
			with = -with
		}
		return productLKK(i, by, with)
	}
	return nil
}

// productLKL compiles a*k + b or a*k - b for two local variables. Not inlined: a maker.
//
//go:noinline
func productLKL(op syntax.Operator, i uint8, k float64, j uint8) evalFloat {
	if op == syntax.OpAdd {
		return func(f *frame) float64 { return float64(f.slots[i].num()*k) + f.slots[j].num() }
	}
	return func(f *frame) float64 { return float64(f.slots[i].num()*k) - f.slots[j].num() }
}

// productLKK compiles a*k + with. Not inlined: a maker.
//
//go:noinline
func productLKK(i uint8, k, with float64) evalFloat {
	return func(f *frame) float64 { return float64(f.slots[i].num()*k) + with }
}

// assignNumeric compiles the assignment of a numeric expression to a numeric variable: its slot
// holds a number already, so only the bits change.
func (fs *compiler) assignNumeric(slot uint8, e syntax.Expr) action {
	if b, ok := e.(*syntax.BinaryExpr); ok {
		i, isLocal := plainLocal(b.Left)
		same := isLocal && i == slot && !isPlain(b.Right)
		k, constant := b.Right.(syntax.NumberExpr)
		switch {
		case same && b.Op == syntax.OpAdd && constant:
			return addK(slot, fs.number(k.Value).num())
		case same && b.Op == syntax.OpAdd:
			return addV(slot, fs.numeric(b.Right))
		case same && b.Op == syntax.OpSub:
			return subV(slot, fs.numeric(b.Right))
		case b.Op == syntax.OpMod && constant && !isConstant(b.Left):
			if d, ok := number.NewDivisor(k.Value); ok {
				return modV(slot, fs.numeric(b.Left), &d)
			}
		}
	}
	return assignV(slot, fs.numeric(e))
}

// assignV compiles v = value. Not inlined: a maker.
//
//go:noinline
func assignV(slot uint8, value evalFloat) action {
	return func(f *frame) signal {
		f.slots[slot].n = math.Float64bits(value(f))
		return goOn
	}
}

// addK compiles v = v + k. Not inlined: a maker.
//
//go:noinline
func addK(slot uint8, k float64) action {
	return func(f *frame) signal {
		v := &f.slots[slot]
		v.n = math.Float64bits(v.num() + k)
		return goOn
	}
}

// addV compiles v = v + y. Not inlined: a maker.
//
//go:noinline
func addV(slot uint8, y evalFloat) action {
	return func(f *frame) signal {
		d := y(f)
		v := &f.slots[slot]
		v.n = math.Float64bits(v.num() + d)
		return goOn
	}
}

// subV compiles v = v - y. Not inlined: a maker.
//
//go:noinline
func subV(slot uint8, y evalFloat) action {
	return func(f *frame) signal {
		d := y(f)
		v := &f.slots[slot]
		v.n = math.Float64bits(v.num() - d)
		return goOn
	}
}

// modV compiles v = a % d, as random numbers and hashes have it. Not inlined: a maker.
//
//go:noinline
func modV(slot uint8, a evalFloat, d *number.Divisor) action {
	return func(f *frame) signal {
		x := a(f)
		r, ok := d.Remainder(x)
		if !ok {
			r = number.Modulo(x, d.K)
		}
		f.slots[slot].n = math.Float64bits(r)
		return goOn
	}
}

// isConstant reports whether e is a number in the source.
func isConstant(e syntax.Expr) bool {
	_, ok := e.(syntax.NumberExpr)
	return ok
}

// numericModulo compiles a % k. Not inlined: a maker.
//
//go:noinline
func numericModulo(a evalFloat, k float64) evalFloat {
	divisor, ok := number.NewDivisor(k)
	if !ok {
		return floatVV(syntax.OpMod, a, func(*frame) float64 { return k })
	}
	d := &divisor
	return func(f *frame) float64 {
		x := a(f)
		if r, ok := d.Remainder(x); ok {
			return r
		}
		return number.Modulo(x, k)
	}
}
