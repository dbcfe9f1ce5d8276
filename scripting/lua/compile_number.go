package lua

import (
	"math"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// evalFloat is a compiled numeric expression: see numeric.go.
type evalFloat func(f *Call) float64

// numeric compiles an expression that isNumeric.
func (c *compiler) numeric(e syntax.Expr) evalFloat {
	c.enter()
	defer c.leave()
	switch e := e.(type) {
	case syntax.NumberExpr:
		k := c.number(e.Value).num()
		return func(*Call) float64 { return k }
	case *syntax.ParenExpr:
		return c.numeric(e.Inner)
	case *syntax.LocalExpr:
		slot := uint8(e.Variable.Slot)
		if e.Variable.Cell() {
			return func(f *Call) float64 { return f.slots[slot].cell().v.num() }
		}
		return func(f *Call) float64 { return f.slots[slot].num() }
	case *syntax.UpvalExpr:
		value := c.upvalue(e)
		return func(f *Call) float64 { return value(f).num() }
	case *syntax.UnaryExpr:
		inner := c.numeric(e.Inner)
		return func(f *Call) float64 { return -inner(f) }
	}
	return c.numericBinary(e.(*syntax.BinaryExpr))
}

// plainLocal returns the slot of a numeric expression that is a local variable in a slot of its own.
func plainLocal(e syntax.Expr) (slot uint8, ok bool) {
	l, ok := e.(*syntax.LocalExpr)
	if !ok || l.Variable.Cell() {
		return 0, false
	}
	return uint8(l.Variable.Slot), true
}

func (c *compiler) numericBinary(e *syntax.BinaryExpr) evalFloat {
	if n := c.product(e); n != nil {
		return n
	}
	_, constant := e.Left.(syntax.NumberExpr)
	if constant { // it comes after the right side: see compiler.number
		b := c.numeric(e.Right)
		return floatVV(e.Op, c.numeric(e.Left), b)
	}
	i, leftLocal := plainLocal(e.Left)
	j, rightLocal := plainLocal(e.Right)
	k, constant := e.Right.(syntax.NumberExpr)
	upToMod, upToDiv := e.Op <= syntax.OpMod, e.Op <= syntax.OpDiv
	switch {
	case e.Op == syntax.OpMod && constant:
		a := c.numeric(e.Left)
		return numericModulo(a, c.number(k.Value).num())
	case upToMod && leftLocal && rightLocal:
		return floatLL(e.Op, i, j)
	case upToDiv && leftLocal && constant:
		return floatLK(e.Op, i, c.number(k.Value).num())
	case upToDiv && constant:
		a := c.numeric(e.Left)
		return floatVK(e.Op, a, c.number(k.Value).num())
	case upToDiv && rightLocal:
		return floatVL(e.Op, c.numeric(e.Left), j)
	case upToDiv && leftLocal:
		return floatLV(e.Op, i, c.numeric(e.Right))
	}
	a := c.numeric(e.Left)
	return floatVV(e.Op, a, c.numeric(e.Right))
}

// product compiles a*k + b and a*k - b where a is a local variable and b another or a constant; nil for
// everything else. The product is rounded before the sum, as the conversion says.
func (c *compiler) product(e *syntax.BinaryExpr) evalFloat {
	left, ok := e.Left.(*syntax.BinaryExpr)
	if !ok || left.Op != syntax.OpMul || e.Op != syntax.OpAdd && e.Op != syntax.OpSub {
		return nil
	}
	i, isLocal := plainLocal(left.Left)
	k, isNumber := left.Right.(syntax.NumberExpr)
	if !isLocal || !isNumber {
		return nil
	}
	by := c.number(k.Value).num()
	if j, ok := plainLocal(e.Right); ok {
		if e.Op == syntax.OpAdd {
			return func(f *Call) float64 { return float64(f.slots[i].num()*by) + f.slots[j].num() }
		}
		return func(f *Call) float64 { return float64(f.slots[i].num()*by) - f.slots[j].num() }
	}
	if constant, ok := e.Right.(syntax.NumberExpr); ok {
		with := c.number(constant.Value).num()
		if e.Op == syntax.OpSub {
			with = -with
		}
		return func(f *Call) float64 { return float64(f.slots[i].num()*by) + with }
	}
	return nil
}

// assignNumeric compiles the assignment of a numeric expression to a numeric variable: its slot holds a
// number already, so only the bits change.
func (c *compiler) assignNumeric(slot uint8, e syntax.Expr) action {
	if b, ok := e.(*syntax.BinaryExpr); ok {
		if i, ok := plainLocal(b.Left); ok && i == slot {
			if b.Op == syntax.OpAdd {
				return addTo(slot, b.Right, c)
			}
			if b.Op == syntax.OpSub {
				y := c.numeric(b.Right)
				return func(f *Call) signal {
					d := y(f)
					v := &f.slots[slot]
					v.n = math.Float64bits(v.num() - d)
					return goOn
				}
			}
		}
	}
	if b, ok := e.(*syntax.BinaryExpr); ok && b.Op == syntax.OpMod {
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
func (c *compiler) assignModulo(slot uint8, e *syntax.BinaryExpr) action {
	k, ok := e.Right.(syntax.NumberExpr)
	if _, constant := e.Left.(syntax.NumberExpr); !ok || constant {
		return nil
	}
	divisor, ok := number.NewDivisor(k.Value)
	if !ok {
		return nil
	}
	a, d := c.numeric(e.Left), &divisor
	return func(f *Call) signal {
		x := a(f)
		r, ok := d.Remainder(x)
		if !ok {
			r = number.Modulo(x, d.K)
		}
		f.slots[slot].n = math.Float64bits(r)
		return goOn
	}
}

func addTo(slot uint8, e syntax.Expr, c *compiler) action {
	if constant, ok := e.(syntax.NumberExpr); ok {
		k := c.number(constant.Value).num()
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
func numericModulo(a evalFloat, k float64) evalFloat {
	divisor, ok := number.NewDivisor(k)
	if !ok {
		return func(f *Call) float64 { return number.Modulo(a(f), k) }
	}
	d := &divisor
	return func(f *Call) float64 {
		x := a(f)
		if r, ok := d.Remainder(x); ok {
			return r
		}
		return number.Modulo(x, d.K)
	}
}
