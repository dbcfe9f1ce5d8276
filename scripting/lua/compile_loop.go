package lua

import (
	"math"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// Loops. Each turn counts one tick, so that no loop escapes the hook.

// late runs the hook, which is due. Not inlined: a slow path.
//
//go:noinline
func (f *frame) late(pc uint32) {
	f.pc = pc
	f.L.tock()
}

func (fs *compiler) while(s *syntax.WhileStat) action {
	condition := fs.condition(s, 0)
	body := fs.turn(s, 0, fs.block(s.Body))
	pc := fs.site(s.Line, nameNone, "")
	return func(f *frame) signal {
		L := f.L
		for condition(f) {
			if sig := body(f); sig != goOn {
				if sig == breaks {
					break
				}
				return sig
			}
			if L.ticks--; L.ticks < 0 {
				f.late(pc)
			}
		}
		return goOn
	}
}

// repeat compiles repeat ... until: the condition sees the variables of the body.
func (fs *compiler) repeat(s *syntax.RepeatStat) action {
	body := sequence(fs.statements(s.Body))
	condition := fs.condition(s, 0)
	pc := fs.site(s.Line, nameNone, "")
	return func(f *frame) signal {
		L := f.L
		for {
			if sig := body(f); sig != goOn {
				if sig == breaks {
					break
				}
				return sig
			}
			if condition(f) {
				break
			}
			if L.ticks--; L.ticks < 0 {
				f.late(pc)
			}
		}
		return goOn
	}
}

// numericFor compiles a numeric for. The loop counts in Go; what the body assigns to the variable
// changes its slot and not the count, as in Lua.
func (fs *compiler) numericFor(s *syntax.NumericForStat) action {
	hidden := fs.free
	bounds := fs.forBounds(s)
	fs.hide(hidden, "(for index)", "(for limit)", "(for step)")
	v := s.Variable
	slot := fs.declare(v)
	body := fs.turn(s, hidden, fs.block(s.Body))
	pc := fs.site(s.DoLine, nameNone, "")
	loop := forLoop(body, slot, v.Cell(), pc)
	if v.Numeric && !v.Cell() && s.Step == (syntax.NumberExpr{Value: 1}) {
		loop = forLoopUnit(body, slot, pc)
	}
	return func(f *frame) signal {
		f.pc = pc
		i, to, by := bounds(f)
		return loop(f, i-by, to, by) // as C Lua does: the first value is (i-by)+by, with the rounding of both
	}
}

// forBounds compiles the three numbers of a loop.
func (fs *compiler) forBounds(s *syntax.NumericForStat) func(f *frame) (i, to, by float64) {
	if fs.follower == nil && syntax.IsNumeric(s.Start) && syntax.IsNumeric(s.Limit) && syntax.IsNumeric(s.Step) {
		start, limit, step := fs.numeric(s.Start), fs.numeric(s.Limit), fs.numeric(s.Step)
		fs.temps(3)
		return func(f *frame) (i, to, by float64) { return start(f), limit(f), step(f) }
	}
	start := fs.eval(s.Start)
	temps := fs.temps(3)
	limit, step := fs.eval(s.Limit), fs.eval(s.Step)
	pc := fs.site(s.DoLine, nameNone, "")
	return func(f *frame) (i, to, by float64) {
		f.slots[temps] = start(f)
		f.slots[temps+1] = limit(f)
		f.slots[temps+2] = step(f)
		f.pc = pc
		i = f.forNumber(f.slots[temps], "initial value")
		to = f.forNumber(f.slots[temps+1], "limit")
		return i, to, f.forNumber(f.slots[temps+2], "step")
	}
}

// forNumber returns a number a for loop starts from, ends at or steps by.
func (f *frame) forNumber(v Value, what string) float64 {
	x, ok := f.L.ToNumber(v)
	if !ok {
		f.L.fail("'for' %s must be a number", what)
	}
	return x
}

// forLoop compiles the turns of a numeric for: i starts one step early. A variable that closures
// share has a cell of its own in each turn. Not inlined: a maker.
//
//go:noinline
func forLoop(body action, slot uint8, cell bool, pc uint32) func(f *frame, i, to, by float64) signal {
	return func(f *frame, i, to, by float64) signal {
		L := f.L
		// A step of 0 counts as negative, as in C Lua: such a loop is endless or has no turn.
		for i += by; by > 0 && i <= to || by <= 0 && to <= i; i += by {
			f.slots[slot] = Number(i)
			if cell {
				f.makeCell(slot)
			}
			if sig := body(f); sig != goOn {
				if sig == breaks {
					break
				}
				return sig
			}
			if L.ticks--; L.ticks < 0 {
				f.late(pc)
			}
		}
		return goOn
	}
}

// forLoopUnit is forLoop for step 1 and a variable that stays a number: its slot is filled once,
// and then only its bits change. A turn takes 24 instructions, and 39 in forLoop. Not inlined: a
// maker.
//
//go:noinline
func forLoopUnit(body action, slot uint8, pc uint32) func(f *frame, i, to, by float64) signal {
	return func(f *frame, i, to, _ float64) signal {
		L := f.L
		v := &f.slots[slot]
		*v = Number(i)
		for i++; i <= to; i++ {
			v.n = math.Float64bits(i)
			if sig := body(f); sig != goOn {
				if sig == breaks {
					break
				}
				return sig
			}
			if L.ticks--; L.ticks < 0 {
				f.late(pc)
			}
		}
		return goOn
	}
}

// genericFor keeps generator, state and control in three slots before the variables. The generators
// of pairs and ipairs are not called: the loop itself walks the table.
func (fs *compiler) genericFor(s *syntax.GenericForStat) action {
	g := &generic{base: fs.free}
	g.fill = fs.adjust(s.Values, 3)
	g.state = fs.temps(3)
	fs.hide(g.base, "(for generator)", "(for state)", "(for control)")
	g.first = fs.free
	for _, v := range s.Variables {
		slot := fs.declare(v)
		if v.Cell() {
			g.cells = append(g.cells, slot)
		}
	}
	g.n = len(s.Variables)
	g.body = fs.turn(s, g.base, fs.block(s.Body))
	g.pc = fs.site(s.CallLine, nameGenerator, "(for generator)")
	fs.proto.sites[g.pc].call = true
	return g.run
}

// generic is a compiled generic for.
type generic struct {
	fill  func(f *frame, first int)
	body  action
	cells []uint8 // variables that live in cells
	base  int
	first int // slot of the first variable
	n     int // variables
	pc    uint32
	state uint8
}

// run runs the loop. It walks a table itself where that shows nowhere: the generator is the
// original next or the one of ipairs, from its start, with room for the call that is not made.
func (g *generic) run(f *frame) signal {
	L := f.L
	g.fill(f, g.base)
	if generator := f.slots[g.state].AsFunction(); generator != nil {
		if t := f.slots[g.state+1].AsTable(); t != nil && L.ccalls+1 < maxHostCalls {
			switch {
			case generator == L.next && f.slots[g.state+2].IsNil():
				return g.pairs(f, t)
			case generator == L.inext && f.slots[g.state+2] == Int(0):
				return g.ipairs(f, t)
			}
		}
	}
	for {
		f.pc = g.pc
		values := L.generate(f, f.slots[g.state], f.slots[g.state+1], f.slots[g.state+2])
		if len(values) == 0 || values[0].IsNil() {
			return goOn
		}
		f.slots[g.state+2] = values[0]
		variables := f.slots[g.first : g.first+g.n]
		clear(variables[copy(variables, values):])
		if sig, done := g.turn(f); done {
			return sig
		}
	}
}

// turn runs the body once; done means that the loop is over.
func (g *generic) turn(f *frame) (sig signal, done bool) {
	if g.cells != nil {
		f.makeCells(g.cells)
	}
	if sig = g.body(f); sig != goOn {
		if sig == breaks {
			sig = goOn
		}
		return sig, true
	}
	L := f.L
	if L.ticks--; L.ticks < 0 {
		f.late(g.pc)
	}
	return goOn, false
}

// pairs walks a table in the order of next. When the body has moved the current key, its new place
// is looked up, and it is an error, as it is for next, if there is none.
func (g *generic) pairs(f *frame, t *Table) signal {
	variables := f.slots[g.first : g.first+g.n]
	for at := 0; ; {
		k, v, next, more := t.NextAt(f.L, at)
		if !more {
			return goOn
		}
		variables[0] = k
		if len(variables) > 1 {
			variables[1] = v
			clear(variables[2:])
		}
		size := len(t.array)
		if sig, done := g.turn(f); done {
			return sig
		}
		if at = next; len(t.array) == size && (next <= size || t.holds(next-1-size, k)) {
			continue
		}
		if at = t.position(k); at < 0 {
			f.pc = g.pc
			f.L.Throw(String("invalid key to 'next'"))
		}
	}
}

// holds reports whether the key of node i is k.
func (t *Table) holds(i int, k Value) bool { return i <= int(t.mask) && t.at(uint32(i)).key == k }

// ipairs walks a list up to the first nil.
func (g *generic) ipairs(f *frame, t *Table) signal {
	variables := f.slots[g.first : g.first+g.n]
	for i := 1; ; i++ {
		v := t.GetInt(i)
		if v.IsNil() {
			return goOn
		}
		variables[0] = Int(i)
		if len(variables) > 1 {
			variables[1] = v
			clear(variables[2:])
		}
		if sig, done := g.turn(f); done {
			return sig
		}
	}
}

// generate calls a generator. C Lua's loop makes this call as from C, so it counts as one.
func (L *State) generate(f *frame, generator, state, control Value) []Value {
	L.ccalls++
	if L.ccalls >= maxHostCalls {
		L.hostOverflow()
	}
	g := f.call2(generator, state, control)
	L.ccalls--
	return g.results()
}
