package lua

// callee is a call with up to three arguments that need no temporaries. Where the function is found
// decides how it is fetched; closures over one callee load no more from it than they need.
type callee struct {
	place place
	slot  uint8
	upval int
	key   stringKey
	other eval
	args  [3]eval
	n     int
	pc    uint32
}

// place is where a function is found.
type place uint8

const (
	placeOther place = iota
	placeLocal
	placeUpvalue
	placeGlobal
)

func (c *compiler) callee(e *callExpr) *callee {
	s := &callee{n: len(e.args), other: c.eval(e.function)}
	switch fn := e.function.(type) {
	case *localExpr:
		if !fn.variable.cell() {
			s.place, s.slot = placeLocal, uint8(fn.variable.slot)
		}
	case *upvalExpr:
		if !fn.variable.cell() {
			s.place, s.upval = placeUpvalue, fn.index
		}
	case *globalExpr:
		s.place, s.key = placeGlobal, c.constant(fn.name)
	}
	s.pc = c.callSite(e.line, e.function, "")
	for i, a := range e.args {
		s.args[i] = c.eval(a)
	}
	return s
}

// function fetches the function.
func (s *callee) function(f *Call) Value {
	switch s.place {
	case placeUpvalue:
		return f.fn.ups[s.upval]
	case placeLocal:
		return f.slots[s.slot]
	case placeGlobal:
		if n := f.fn.env.at(s.key.hash & f.fn.env.mask); n.key == s.key.Value && n.val.p != nil {
			return n.val
		}
	}
	return s.other(f)
}

// invoke returns the call.
func (s *callee) invoke() invoke {
	switch s.n {
	case 0:
		return func(f *Call) *Call {
			v := s.function(f)
			f.pc = s.pc
			return f.call0(v)
		}
	case 1:
		return func(f *Call) *Call {
			v := s.function(f)
			a := s.args[0](f)
			f.pc = s.pc
			return f.call1(v, a)
		}
	case 2:
		return func(f *Call) *Call {
			v := s.function(f)
			a, b := s.args[0](f), s.args[1](f)
			f.pc = s.pc
			return f.call2(v, a, b)
		}
	}
	return func(f *Call) *Call {
		v := s.function(f)
		a, b, d := s.args[0](f), s.args[1](f), s.args[2](f)
		f.pc = s.pc
		return f.call3(v, a, b, d)
	}
}

// one returns the call with its first result.
func (s *callee) one() eval {
	switch s.n {
	case 0:
		return func(f *Call) Value {
			v := s.function(f)
			f.pc = s.pc
			if r := f.call0(v); r.nret == 1 {
				return r.ret
			} else {
				return r.first()
			}
		}
	case 1:
		return func(f *Call) Value {
			v := s.function(f)
			a := s.args[0](f)
			f.pc = s.pc
			if r := f.call1(v, a); r.nret == 1 {
				return r.ret
			} else {
				return r.first()
			}
		}
	case 2:
		return func(f *Call) Value {
			v := s.function(f)
			a, b := s.args[0](f), s.args[1](f)
			f.pc = s.pc
			if r := f.call2(v, a, b); r.nret == 1 {
				return r.ret
			} else {
				return r.first()
			}
		}
	}
	return func(f *Call) Value {
		v := s.function(f)
		a, b, d := s.args[0](f), s.args[1](f), s.args[2](f)
		f.pc = s.pc
		if r := f.call3(v, a, b, d); r.nret == 1 {
			return r.ret
		} else {
			return r.first()
		}
	}
}
