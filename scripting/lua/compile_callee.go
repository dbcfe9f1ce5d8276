package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// callee is a call with up to three arguments, which stay in Go variables until all are evaluated.
// If evaluating the later ones can run other code, the function and the earlier arguments lie in
// slots too, so that a run's memory can be measured (invariant 2). The closures share one callee
// and load from it only what they need.
type callee struct {
	place place // where the function is found
	hold  bool  // the function and the arguments before the last one lie in slots meanwhile
	slot  uint8 // of a local variable
	base  uint8 // of those slots
	n     uint8
	pc    uint32
	upval int
	key   Key
	other eval
	args  [3]eval
}

// place is where a function is found.
type place uint8

const (
	placeOther place = iota
	placeLocal
	placeUpvalue
	placeGlobal
)

// callee compiles the parts of a call.
func (fs *compiler) callee(e *syntax.CallExpr) *callee {
	s := &callee{n: uint8(len(e.Args)), other: fs.eval(e.Function)}
	switch fn := e.Function.(type) {
	case *syntax.LocalExpr:
		if !fn.Variable.Cell() {
			s.place, s.slot = placeLocal, uint8(fn.Variable.Slot)
		}
	case *syntax.UpvalExpr:
		if !fn.Variable.Cell() {
			s.place, s.upval = placeUpvalue, fn.Index
		}
	case *syntax.GlobalExpr:
		s.place, s.key = placeGlobal, fs.constant(fn.Name)
	}
	for i, a := range e.Args {
		if !simple(a) && (i > 0 || s.place == placeOther) {
			s.hold = true
		}
	}
	s.pc = fs.callSite(e.Line, e.Function, "")
	s.base = fs.temps(len(e.Args) + 1)
	for i, a := range e.Args {
		s.args[i] = fs.eval(a)
	}
	return s
}

// function fetches the function.
func (s *callee) function(f *frame) Value {
	switch s.place {
	case placeUpvalue:
		return f.fn.ups[s.upval]
	case placeLocal:
		return f.slots[s.slot]
	case placeGlobal:
		if n := f.fn.env.main(s.key.hash); n.key == s.key.Value && n.val.p != nil {
			return n.val
		}
	}
	return s.other(f)
}

// call1 makes a call with one argument.
func (s *callee) call1(f *frame) *frame {
	v := s.function(f)
	if s.hold {
		f.slots[s.base] = v
	}
	a := s.args[0](f)
	f.pc = s.pc
	return f.call1(v, a)
}

// call2 makes a call with two arguments.
func (s *callee) call2(f *frame) *frame {
	v := s.function(f)
	if s.hold {
		f.slots[s.base] = v
	}
	a := s.args[0](f)
	if s.hold && !a.IsNumber() {
		f.slots[s.base+1] = a
	}
	b := s.args[1](f)
	f.pc = s.pc
	return f.call2(v, a, b)
}

// call3 makes a call with three arguments.
func (s *callee) call3(f *frame) *frame {
	v := s.function(f)
	if s.hold {
		f.slots[s.base] = v
	}
	a := s.args[0](f)
	if s.hold && !a.IsNumber() {
		f.slots[s.base+1] = a
	}
	b := s.args[1](f)
	if s.hold && !b.IsNumber() {
		f.slots[s.base+2] = b
	}
	d := s.args[2](f)
	f.pc = s.pc
	return f.call3(v, a, b, d)
}

// invoke returns the call. Not inlined: a maker.
//
//go:noinline
func (s *callee) invoke() invoke {
	switch s.n {
	case 0:
		return func(f *frame) *frame {
			v := s.function(f)
			f.pc = s.pc
			return f.call0(v)
		}
	case 1:
		return s.call1
	case 2:
		return s.call2
	}
	return s.call3
}

// one returns the call with its first result. Not inlined: a maker.
//
//go:noinline
func (s *callee) one() eval {
	switch s.n {
	case 0:
		return func(f *frame) Value {
			v := s.function(f)
			f.pc = s.pc
			return f.call0(v).one()
		}
	case 1:
		return func(f *frame) Value {
			v := s.function(f)
			if s.hold {
				f.slots[s.base] = v
			}
			a := s.args[0](f)
			f.pc = s.pc
			return f.call1(v, a).one()
		}
	case 2:
		return func(f *frame) Value { return s.call2(f).one() }
	}
	return func(f *frame) Value { return s.call3(f).one() }
}

// one returns the first result of a finished call.
func (g *frame) one() Value {
	if g.nret == 1 {
		return g.ret
	}
	return g.first()
}
