package lua

import (
	"testing"
	"time"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// BenchmarkShapes measures what each shape of the essay's matrix gains over the closure that the compiler
// would take without it. Both run in turns, and the least time of each counts, so the ratio repeats on a busy
// machine too:
//
//	go test -run '^$' -bench Shapes -benchtime 200x ./scripting/lua
func BenchmarkShapes(b *testing.B) {
	for _, kinds := range []string{"LK", "LL", "LV", "VK", "VL"} {
		s := shapeOperands(kinds)
		for op, name := range operatorNames {
			if name == "" {
				continue
			}
			op := syntax.Operator(op)
			if t := arithShape(kinds, op, s); t != nil {
				compare(b, "arith/"+kinds+"/"+name, discard(t), discard(arithGeneral(op, s)))
			}
			if t := floatShape(kinds, op, s); t != nil {
				compare(b, "float/"+kinds+"/"+name, discard(t), discard(floatVV(op, s.a.float, s.b.float)))
			}
			if t := orderShape(kinds, op, s); t != nil {
				compare(b, "order/"+kinds+"/"+name, discard(t), discard(orderVV(op, s.sides(), 0)))
			}
			if t := floatOrderShape(kinds, op, s); t != nil {
				compare(b, "floatOrder/"+kinds+"/"+name, discard(t), discard(floatOrderVV(op, s.a.float, s.b.float)))
			}
		}
	}
}

var operatorNames = [...]string{
	syntax.OpAdd: "add", syntax.OpSub: "sub", syntax.OpMul: "mul", syntax.OpDiv: "div", syntax.OpMod: "mod", syntax.OpPow: "pow",
	syntax.OpLess: "less", syntax.OpLessEqual: "lessEqual", syntax.OpGreater: "greater", syntax.OpGreaterEqual: "greaterEqual",
}

// benchOperand is an operand compiled for values and for floats.
type benchOperand struct {
	operand
	float evalFloat
}

type benchSides struct{ a, b benchOperand }

func (s *benchSides) sides() *sides {
	return &sides{a: s.a.operand, b: s.b.operand, slot: 20, late: s.a.local && !s.b.local && !s.b.known}
}

const benchConstant = 7

// shapeOperands returns operands of a shape: local variables are the slots 1 and 2, an expression is
// a sum of two others.
func shapeOperands(kinds string) *benchSides {
	local := func(slot uint8) benchOperand {
		return benchOperand{
			operand{eval: func(f *frame) Value { return f.slots[slot] }, local: true, slot: slot},
			func(f *frame) float64 { return f.slots[slot].num() },
		}
	}
	constant := Number(benchConstant)
	k := benchOperand{
		operand{eval: func(*frame) Value { return constant }, known: true, value: constant},
		func(*frame) float64 { return benchConstant },
	}
	v := benchOperand{operand{eval: arithLL(syntax.OpAdd, 3, 4, 0)}, floatLL(syntax.OpAdd, 3, 4)}
	a := map[byte]benchOperand{'L': local(1), 'V': v}
	b := map[byte]benchOperand{'L': local(2), 'K': k, 'V': v}
	return &benchSides{a[kinds[0]], b[kinds[1]]}
}

func arithShape(kinds string, op syntax.Operator, s *benchSides) eval {
	a, b := &s.a, &s.b
	switch {
	case op <= syntax.OpMod && kinds == "LK":
		return arithLK(op, a.slot, benchConstant, 0)
	case op <= syntax.OpMod && kinds == "LL":
		return arithLL(op, a.slot, b.slot, 0)
	case op <= syntax.OpDiv && kinds == "LV":
		return arithLV(op, a.slot, b.eval, 0)
	case op <= syntax.OpDiv && kinds == "VK":
		return arithVK(op, a.eval, benchConstant, 0)
	case op <= syntax.OpDiv && kinds == "VL":
		return arithVL(op, a.eval, b.slot, 0)
	}
	return nil
}

// arithGeneral is what compiler.arithmetic takes for operands that have no shape.
func arithGeneral(op syntax.Operator, s *benchSides) eval {
	if s.sides().late {
		return arithLate(op, s.sides(), 0)
	}
	return arithVV(op, s.sides(), 0)
}

func floatShape(kinds string, op syntax.Operator, s *benchSides) evalFloat {
	a, b := &s.a, &s.b
	switch {
	case op <= syntax.OpMod && kinds == "LL":
		return floatLL(op, a.slot, b.slot)
	case op <= syntax.OpDiv && kinds == "LK":
		return floatLK(op, a.slot, benchConstant)
	case op <= syntax.OpDiv && kinds == "LV":
		return floatLV(op, a.slot, b.float)
	case op <= syntax.OpDiv && kinds == "VK":
		return floatVK(op, a.float, benchConstant)
	case op <= syntax.OpDiv && kinds == "VL":
		return floatVL(op, a.float, b.slot)
	}
	return nil
}

func orderShape(kinds string, op syntax.Operator, s *benchSides) test {
	switch {
	case op < syntax.OpLess:
		return nil
	case kinds == "LK":
		return orderLK(op, s.a.slot, benchConstant, 0)
	case kinds == "LL":
		return orderLL(op, s.a.slot, s.b.slot, 0)
	case kinds == "VK":
		return orderVK(op, s.a.eval, benchConstant, 0)
	}
	return nil
}

func floatOrderShape(kinds string, op syntax.Operator, s *benchSides) test {
	switch {
	case op < syntax.OpLess:
		return nil
	case kinds == "LK":
		return floatOrderLK(op, s.a.slot, benchConstant)
	case kinds == "LL":
		return floatOrderLL(op, s.a.slot, s.b.slot)
	case kinds == "VK":
		return floatOrderVK(op, s.a.float, benchConstant)
	}
	return nil
}

// discard makes a statement of a closure.
func discard[T any](closure func(f *frame) T) func(f *frame) {
	return func(f *frame) { closure(f) }
}

// compare reports how many times as long as the shape's closure the general one takes.
func compare(b *testing.B, name string, shape, general func(f *frame)) {
	b.Run(name, func(b *testing.B) {
		const turns = 1000
		f := benchFrame()
		took := [2]time.Duration{1 << 62, 1 << 62}
		for b.Loop() {
			for i, run := range [2]func(f *frame){shape, general} {
				start := time.Now()
				for range turns {
					run(f)
				}
				took[i] = min(took[i], time.Since(start))
			}
		}
		b.ReportMetric(float64(took[1])/float64(took[0]), "gain")
		b.ReportMetric(float64(took[0])/turns, "shape-ns")
		b.ReportMetric(0, "ns/op")
	})
}

// benchFrame returns a frame whose slots hold numbers.
func benchFrame() *frame {
	f := &frame{L: NewState(), fn: &Function{proto: &Proto{sites: make([]Site, 1)}}}
	for i := range f.slots {
		f.slots[i] = Number(float64(i + 2))
	}
	return f
}
