package lua

import (
	"testing"
	"time"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// BenchmarkShapes measures the gain of each shape of the essay's matrix over the closure that the
// compiler would take without it. Both run in turns, and the least time of each counts. So the
// ratio is stable even on a busy machine:
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
	syntax.OpAdd: "add", syntax.OpSub: "sub", syntax.OpMul: "mul", syntax.OpDiv: "div", syntax.OpMod: "mod",
	syntax.OpPow:  "pow",
	syntax.OpLess: "less", syntax.OpLessEqual: "lessEqual", syntax.OpGreater: "greater",
	syntax.OpGreaterEqual: "greaterEqual",
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

// shapeOperands returns operands of a shape: local variables are the slots 1 and 2, an expression
// is a sum of two others.
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

// BenchmarkHandwritten measures the shapes that are written by hand as BenchmarkShapes does the
// generated ones.
func BenchmarkHandwritten(b *testing.B) {
	s := shapeOperands("VK")
	local := shapeOperands("LL")
	x, v := local.a, s.a
	add, mul, less := syntax.OpAdd, syntax.OpMul, syntax.OpLess
	step := productLKK(1, 31, 17) // the next turn multiplies the remainder, as hashes and random numbers do
	compare(b, "v = v * K + K, v % K", discard(assignV(1, numericModulo(step, 65521))),
		discard(assignV(1, floatVV(syntax.OpMod, step, func(*frame) float64 { return 65521 }))))
	divisor, _ := number.NewDivisor(65521)
	compare(b, "v = a % K", discard(modV(1, step, &divisor)), discard(assignV(1, numericModulo(step, 65521))))
	compare(b, "L * K + L", discard(productLKL(add, 1, benchConstant, 2)),
		discard(floatVL(add, floatLK(mul, 1, benchConstant), 2)))
	compare(b, "L * K + K", discard(productLKK(1, benchConstant, 3)),
		discard(floatVK(add, floatLK(mul, 1, benchConstant), 3)))
	compare(b, "v = v + K", discard(addK(1, 0)), discard(assignV(1, floatLK(add, 1, 0))))
	compare(b, "v = v + f()", discard(addV(1, v.float)), discard(assignV(1, floatLV(add, 1, v.float))))
	compare(b, "v = v - f()", discard(subV(1, v.float)), discard(assignV(1, floatLV(syntax.OpSub, 1, v.float))))
	nothing := func(*frame) signal { return goOn }
	compare(b, "if L < K", discard(ifOrderLK(less, 1, benchConstant, nil, nothing)),
		discard(ifElse(orderLK(less, 1, benchConstant, 0), nothing, nil)))
	compare(b, "L == K", discard(equalNumber(x.operand, 3)), discard(equalNumber(operand{eval: x.eval}, 3)))
	compare(b, "t[L]", discard(indexLL(5, 1, 0)),
		discard(indexVV(&sides{a: operand{eval: slotEval(5)}, b: x.operand, slot: 20, late: false}, 0)))
	compare(b, "t[n]", discard(indexNumericL(slotEval(5), 1, 0)), discard(indexNumericV(slotEval(5), x.float, 0)))
	compare(b, "t[n + 1]", discard(indexNumericV(slotEval(5), floatLK(add, 1, 1), 0)),
		discard(indexVV(&sides{a: operand{eval: slotEval(5)}, b: operand{eval: arithLK(add, 1, 1, 0)}, slot: 20}, 0)))
	compare(b, "t[1]", discard(indexLK(5, 0, Number(1), 0)), discard(indexVK(slotEval(5), 0, Number(1), 0)))
	turns := func(loop func(f *frame, i, to, by float64) signal) func(*frame) {
		return func(f *frame) { loop(f, 0, 100, 1) }
	}
	compare(b, "for i = n, m", turns(forLoopUnit(nothing, 1, 0)), turns(forLoop(nothing, 1, false, 0)))
	k := makeKey("name")
	compare(b, "t.name", discard(fieldL(5, &k, 0)), discard(fieldV(slotEval(5), &k, 0)))
	one := slotEval(6)
	compare(b, "t[L] = x", discard(storeAtL(5, 1, one, 0)), discard(storeAtV(5, slotEval(1), 20, one, 0)))
	compare(b, "t.name = x", discard(storeFieldL(5, &k, one, 0)), discard(storeFieldLate(slotEval(5), &k, one, 0)))
	many := []eval{one, one, one}
	compare(b, "2 arguments", gatherInto(many[:2], 10), gatherAll(many[:2], 10))
	compare(b, "3 arguments", gatherInto(many, 10), gatherAll(many, 10))
	identity := &Function{proto: &Proto{params: 1, frame: 20 * valueBytes, weight: 1,
		body: func(f *frame) signal { f.ret, f.nret = f.slots[0], 1; return returns }}}
	compare(b, "f(a)", func(f *frame) { f.call1(identity.Value(), f.slots[1]) },
		func(f *frame) { f.L.apply(f, identity.Value(), f.window(1, 1)) })
	three := []action{nothing, nothing, nothing}
	compare(b, "2 statements", discard(sequence(three[:2])), discard(sequenceOf(three[:2])))
	compare(b, "3 statements", discard(sequence(three)), discard(sequenceOf(three)))
}

func slotEval(slot uint8) eval { return func(f *frame) Value { return f.slots[slot] } }

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
	t := NewTable(8, 1)
	for i := range 8 {
		t.SetInt(nil, i+1, Number(1))
	}
	t.SetString(nil, "name", Number(1))
	f.slots[5] = t.Value()
	return f
}
