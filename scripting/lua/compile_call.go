package lua

import (
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// invoke makes a call and returns its popped frame, from which results are read before the next
// call.
type invoke func(f *frame) *frame

// fewArguments is how many a callee takes.
const fewArguments = 3

// few reports whether a call has a small fixed number of arguments, which then travel in Go
// variables.
func few(e *syntax.CallExpr) bool {
	n := len(e.Args)
	return n <= fewArguments && (n == 0 || !syntax.IsMany(e.Args[n-1]))
}

// callOne compiles a call to its first result.
func (fs *compiler) callOne(e *syntax.CallExpr) eval {
	free := fs.free
	defer func() { fs.free = free }()
	if e.Method == "" && few(e) && fs.follower == nil {
		return fs.callee(e).one()
	}
	call := fs.call(e)
	if choice := selectChoice(e); choice != nil {
		return fs.selectOne(fs.eval(e.Function), fs.eval(choice), call)
	}
	return func(f *frame) Value { return call(f).one() }
}

// selectChoice returns the first argument of select(k, ...) if it may be evaluated twice.
func selectChoice(e *syntax.CallExpr) syntax.Expr {
	fn, ok := e.Function.(*syntax.GlobalExpr)
	if !ok || fn.Name != "select" || len(e.Args) != 2 || !simple(e.Args[0]) {
		return nil
	}
	if _, ok = e.Args[1].(syntax.DotsExpr); !ok {
		return nil
	}
	return e.Args[0]
}

// selectOne compiles the first result of select(k, ...), which need not pass the arguments on. Not
// inlined: a maker.
//
//go:noinline
func (fs *compiler) selectOne(function, choice eval, call invoke) eval {
	return func(f *frame) Value {
		fn, k := function(f), choice(f)
		if fn.AsFunction() == f.L.choose {
			if x, ok := k.AsNumber(); ok && x >= 1 && x < 1<<31 {
				if i := int(x); i <= f.nextra {
					return f.extras()[i-1]
				}
				return Nil
			} else if k.IsString() && k.str() == "#" {
				return Int(f.nextra)
			}
		}
		return call(f).one()
	}
}

// call compiles a call.
func (fs *compiler) call(e *syntax.CallExpr) invoke {
	fs.enter()
	defer fs.leave()
	free := fs.free
	defer func() { fs.free = free }()
	if fs.follower != nil {
		return fs.follower.call(fs, e)
	}
	return fs.callPlain(e)
}

// callPlain compiles a call without a follower.
func (fs *compiler) callPlain(e *syntax.CallExpr) invoke {
	if e.Method != "" {
		return fs.callMethod(e)
	}
	if few(e) && !fs.gathers() {
		return fs.callee(e).invoke()
	}
	return fs.callGathered(e)
}

// callGathered compiles a call whose callee and arguments are gathered in consecutive slots.
func (fs *compiler) callGathered(e *syntax.CallExpr) invoke {
	base := fs.temp()
	fn := fs.eval(e.Function)
	pc := fs.callSite(e.Line, e.Function, "")
	gather, n, tail := fs.callArguments(e, base)
	if tail != nil {
		return func(f *frame) *frame {
			f.slots[base] = fn(f)
			gather(f)
			args := f.withTail(base+1, n, tail(f))
			f.pc = pc
			return f.L.apply(f, f.slots[base], args)
		}
	}
	return callSlots(func(f *frame) {
		f.slots[base] = fn(f)
		gather(f)
	}, base, n, pc)
}

// callSlots compiles the call of a function with n arguments in slots from base on, once prepare
// has put them there.
func callSlots(prepare func(f *frame), base uint8, n int, pc uint32) invoke {
	switch n {
	case 1:
		return func(f *frame) *frame {
			prepare(f)
			f.pc = pc
			return f.call1(f.slots[base], f.slots[base+1])
		}
	case 2:
		return func(f *frame) *frame {
			prepare(f)
			f.pc = pc
			return f.call2(f.slots[base], f.slots[base+1], f.slots[base+2])
		}
	case 3:
		return func(f *frame) *frame {
			prepare(f)
			f.pc = pc
			return f.call3(f.slots[base], f.slots[base+1], f.slots[base+2], f.slots[base+3])
		}
	}
	first := int(base) + 1
	return func(f *frame) *frame {
		prepare(f)
		f.pc = pc
		return f.L.apply(f, f.slots[base], f.slots[first:first+n])
	}
}

// arguments compiles arguments into the next n slots; the last one may yield a tail of them.
func (fs *compiler) arguments(args []syntax.Expr) (gather func(f *frame), n int, tail many) {
	return fs.argumentsAt(args, nil)
}

// argumentsAt is arguments for those that are loaded at lines, nil for no matter where.
func (fs *compiler) argumentsAt(args []syntax.Expr, lines []int) (gather func(f *frame), n int, tail many) {
	n = len(args)
	if n > 0 && syntax.IsMany(args[n-1]) {
		n--
	}
	evals := make([]eval, n)
	first := fs.free
	for i, a := range args[:n] {
		if lines != nil {
			evals[i] = fs.evalAt(a, lines[i])
		} else {
			evals[i] = fs.eval(a)
		}
		fs.temp()
	}
	if n < len(args) {
		tail = fs.many(args[n])
	}
	return gatherInto(evals, first), n, tail
}

// gatherInto returns what evaluates into consecutive slots.
func gatherInto(evals []eval, first int) func(f *frame) {
	i := uint8(first)
	switch len(evals) {
	case 0:
		return func(f *frame) {}
	case 1:
		a := evals[0]
		return func(f *frame) { f.slots[i] = a(f) }
	case 2:
		a, b := evals[0], evals[1]
		return func(f *frame) {
			f.slots[i] = a(f)
			f.slots[i+1] = b(f)
		}
	case 3:
		a, b, d := evals[0], evals[1], evals[2]
		return func(f *frame) {
			f.slots[i] = a(f)
			f.slots[i+1] = b(f)
			f.slots[i+2] = d(f)
		}
	}
	return gatherAll(evals, first)
}

// gatherAll is gatherInto for any number of expressions.
func gatherAll(evals []eval, first int) func(f *frame) {
	return func(f *frame) {
		for j, e := range evals {
			f.slots[uint8(first+j)] = e(f)
		}
	}
}

// withTail returns n slots from first on followed by tail. The slice is the State's own.
func (f *frame) withTail(first uint8, n int, tail []Value) []Value {
	if n == 0 {
		return tail
	}
	L := f.L
	L.ticks -= len(tail) >> 4
	// tail may be L.ret itself, the results of the call just made: copy it to its new place first.
	if cap(L.ret) < n+len(tail) {
		L.ret = append(L.ret[:cap(L.ret)], make([]Value, n+len(tail))...)
	}
	all := L.ret[:n+len(tail)]
	copy(all[n:], tail)
	copy(all, f.window(int(first), n))
	return all
}

// callMethod compiles o:name(...).
func (fs *compiler) callMethod(e *syntax.CallExpr) invoke {
	m := &method{base: fs.temps(2)}
	m.self = fs.eval(e.Function)
	m.name = fs.constant(e.Method)
	m.look = fs.siteOf(e.SelfLine, e.Function)
	m.pc = fs.callSite(e.Line, nil, e.Method)
	if few(e) && !fs.gathers() {
		for i, a := range e.Args {
			m.args[i] = fs.eval(a)
			fs.temp()
		}
		switch len(e.Args) {
		case 0:
			return m.call0
		case 1:
			return m.call1
		case 2:
			return m.call2
		}
		return m.call3
	}
	gather, n, tail := fs.callArguments(e, m.base)
	if tail != nil {
		return func(f *frame) *frame {
			m.find(f)
			gather(f)
			args := f.withTail(m.base+1, n+1, tail(f))
			f.pc = m.pc
			return f.L.apply(f, f.slots[m.base], args)
		}
	}
	return callSlots(func(f *frame) {
		m.find(f)
		gather(f)
	}, m.base, n+1, m.pc)
}

// method is a call of a method. Function and self lie in slots while the arguments are evaluated:
// they have no other reference then (invariant 2).
type method struct {
	self eval
	name Key
	args [fewArguments]eval
	look uint32 // the site of the look-up
	pc   uint32
	base uint8
}

// find evaluates self, looks the method up and puts both in their slots.
func (m *method) find(f *frame) (fn, self Value) {
	self = m.self(f)
	f.slots[m.base+1] = self
	fn = f.method(self, &m.name, m.look)
	f.slots[m.base] = fn
	return fn, self
}

func (m *method) call0(f *frame) *frame {
	fn, self := m.find(f)
	f.pc = m.pc
	return f.call1(fn, self)
}

func (m *method) call1(f *frame) *frame {
	fn, self := m.find(f)
	a := m.args[0](f)
	f.pc = m.pc
	return f.call2(fn, self, a)
}

func (m *method) call2(f *frame) *frame {
	fn, self := m.find(f)
	a := m.args[0](f)
	if !a.IsNumber() { // a number holds no memory, so no slot need refer to it while b is evaluated
		f.slots[m.base+2] = a
	}
	b := m.args[1](f)
	f.pc = m.pc
	return f.call3(fn, self, a, b)
}

func (m *method) call3(f *frame) *frame {
	fn, self := m.find(f)
	a := m.args[0](f)
	if !a.IsNumber() {
		f.slots[m.base+2] = a
	}
	b := m.args[1](f)
	if !b.IsNumber() {
		f.slots[m.base+3] = b
	}
	d := m.args[2](f)
	f.pc = m.pc
	return f.call4(fn, self, a, b, d)
}

// method returns o[name]. It follows __index through tables, which is how classes are built, and
// leaves an __index function to index. In each table it first tries the main position of the name
// with a comparison of pointers: keys adopt the bytes of the constant that last found them, so this
// mostly succeeds.
func (f *frame) method(o Value, name *Key, pc uint32) Value {
	t := o.AsTable()
	if t == nil && o.IsString() {
		t = f.L.stringMeta.event(eventIndex).AsTable()
	}
	for range maxMetaLoop {
		if t == nil {
			break
		}
		if n := t.main(name.hash); n.key == name.Value && n.val.p != nil {
			return n.val
		}
		if v := t.getString(name.Value, name.hash); !v.IsNil() {
			return v
		}
		t = t.meta.event(eventIndex).AsTable()
	}
	return f.index(o, name.Value, pc)
}
