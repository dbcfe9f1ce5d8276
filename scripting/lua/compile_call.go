package lua

import "unsafe"

// invoke makes a call and returns its popped frame, from which results are read before the next call.
type invoke func(f *Call) *Call

// callOne compiles a call to its first result.
func (c *compiler) callOne(e *callExpr) eval {
	free := c.free
	defer func() { c.free = free }()
	if e.method == "" && len(e.args) <= 3 && c.direct(e) {
		return c.callee(e).one()
	}
	call := c.call(e)
	return func(f *Call) Value {
		r := call(f)
		if r.nret == 1 {
			return r.ret
		}
		return r.first()
	}
}

// call compiles a call.
func (c *compiler) call(e *callExpr) invoke {
	free := c.free
	defer func() { c.free = free }()
	if e.method != "" {
		return c.callMethod(e)
	}
	if len(e.args) <= 3 && c.direct(e) {
		return c.callee(e).invoke()
	}
	return c.callGathered(e)
}

// direct reports whether the callee and the arguments may be evaluated into Go variables: nothing that
// is evaluated later runs code while they wait.
func (c *compiler) direct(e *callExpr) bool {
	switch e.function.(type) {
	case *localExpr, *upvalExpr, *globalExpr:
	default:
		for _, a := range e.args {
			if !simple(a) {
				return false
			}
		}
	}
	for i, a := range e.args {
		if i > 0 && !simple(a) || i == len(e.args)-1 && isMany(a) {
			return false
		}
	}
	return true
}

// callGathered compiles a call whose callee and arguments are gathered in consecutive slots.
func (c *compiler) callGathered(e *callExpr) invoke {
	base := c.temp()
	fn := c.eval(e.function)
	pc := c.callSite(e.line, e.function, "")
	gather, n, tail := c.arguments(e.args)
	if tail != nil {
		return func(f *Call) *Call {
			f.slots[base] = fn(f)
			gather(f)
			args := f.withTail(base+1, n, tail(f))
			f.pc = pc
			return f.L.apply(f, f.slots[base], args)
		}
	}
	return callSlots(func(f *Call) {
		f.slots[base] = fn(f)
		gather(f)
	}, base, n, pc)
}

// callSlots compiles the call of a function with n arguments in slots from base on, once prepare has put them there.
func callSlots(prepare func(f *Call), base uint8, n int, pc uint32) invoke {
	switch n {
	case 1:
		return func(f *Call) *Call {
			prepare(f)
			f.pc = pc
			return f.call1(f.slots[base], f.slots[base+1])
		}
	case 2:
		return func(f *Call) *Call {
			prepare(f)
			f.pc = pc
			return f.call2(f.slots[base], f.slots[base+1], f.slots[base+2])
		}
	case 3:
		return func(f *Call) *Call {
			prepare(f)
			f.pc = pc
			return f.call3(f.slots[base], f.slots[base+1], f.slots[base+2], f.slots[base+3])
		}
	}
	first := int(base) + 1
	return func(f *Call) *Call {
		prepare(f)
		f.pc = pc
		return f.L.apply(f, f.slots[base], f.slots[first:first+n])
	}
}

// arguments compiles arguments into the next n slots; the last one may yield a tail of them.
func (c *compiler) arguments(args []expression) (gather func(f *Call), n int, tail many) {
	n = len(args)
	if n > 0 && isMany(args[n-1]) {
		n--
	}
	evals := make([]eval, n)
	first := c.free
	for i, a := range args[:n] {
		evals[i] = c.eval(a)
		c.temp()
	}
	if n < len(args) {
		tail = c.many(args[n])
	}
	return gatherInto(evals, first), n, tail
}

// gatherInto returns what evaluates into consecutive slots.
func gatherInto(evals []eval, first int) func(f *Call) {
	i := uint8(first)
	switch len(evals) {
	case 0:
		return func(f *Call) {}
	case 1:
		a := evals[0]
		return func(f *Call) { f.slots[i] = a(f) }
	case 2:
		a, b := evals[0], evals[1]
		return func(f *Call) {
			f.slots[i] = a(f)
			f.slots[i+1] = b(f)
		}
	case 3:
		a, b, d := evals[0], evals[1], evals[2]
		return func(f *Call) {
			f.slots[i] = a(f)
			f.slots[i+1] = b(f)
			f.slots[i+2] = d(f)
		}
	}
	return func(f *Call) {
		for j, e := range evals {
			f.slots[uint8(first+j)] = e(f)
		}
	}
}

// withTail returns n slots from first on followed by tail. The slice is the State's own.
func (f *Call) withTail(first uint8, n int, tail []Value) []Value {
	if n == 0 {
		return tail
	}
	L := f.L
	// tail may be L.ret itself: make room in front of it.
	if cap(L.ret) < n+len(tail) {
		L.ret = append(L.ret[:cap(L.ret)], make([]Value, n+len(tail))...)
	}
	all := L.ret[:n+len(tail)]
	copy(all[n:], tail)
	copy(all, unsafe.Slice(f.slot(int(first)), n))
	return all
}

// callMethod compiles o:name(...).
func (c *compiler) callMethod(e *callExpr) invoke {
	base := c.temps(2)
	self := c.eval(e.function)
	name := c.constant(e.method)
	look := c.siteOf(e.selfLine, e.function)
	pc := c.callSite(e.line, nil, e.method)
	gather, n, tail := c.arguments(e.args)
	prepare := func(f *Call) {
		o := self(f)
		f.slots[base+1] = o
		f.slots[base] = f.method(o, name, look)
		gather(f)
	}
	if tail != nil {
		return func(f *Call) *Call {
			prepare(f)
			args := f.withTail(base+1, n+1, tail(f))
			f.pc = pc
			return f.L.apply(f, f.slots[base], args)
		}
	}
	return callSlots(prepare, base, n+1, pc)
}

// method returns o[name].
func (f *Call) method(o Value, name stringKey, pc uint32) Value {
	t := o.AsTable()
	if t == nil && o.IsString() {
		t = f.L.stringMeta.event(eventIndex).AsTable()
	}
	if t != nil {
		if v := t.getString(name.Value, name.hash); !v.IsNil() {
			return v
		}
	}
	return f.index(o, name.Value, pc)
}

// tailCall compiles return f(...).
func (c *compiler) tailCall(e *callExpr) action {
	free := c.free
	defer func() { c.free = free }()
	base := c.temp()
	var prepare func(f *Call)
	var pc uint32
	extra := 0
	if e.method != "" {
		c.temp()
		extra = 1
		self, name := c.eval(e.function), c.constant(e.method)
		look := c.siteOf(e.selfLine, e.function)
		pc = c.callSite(e.line, nil, e.method)
		prepare = func(f *Call) {
			o := self(f)
			f.slots[base+1] = o
			f.slots[base] = f.method(o, name, look)
		}
	} else {
		fn := c.eval(e.function)
		pc = c.callSite(e.line, e.function, "")
		prepare = func(f *Call) { f.slots[base] = fn(f) }
	}
	gather, n, tail := c.arguments(e.args)
	n += extra
	first := int(base) + 1
	return func(f *Call) signal {
		prepare(f)
		gather(f)
		args := f.slots[first : first+n]
		if tail != nil {
			args = f.withTail(base+1, n, tail(f))
		}
		f.pc = pc
		return f.become(f.slots[base], args)
	}
}

// become makes a tail call: a Lua function is left to whoever called f, others are called at once.
func (f *Call) become(v Value, args []Value) signal {
	L := f.L
	for v.n != tagFunction {
		tm := L.metatable(v).event(eventCall)
		if !tm.IsFunction() {
			L.typeErrorAt(v, "call", f.site())
		}
		args = append([]Value{v}, args...)
		v = tm
	}
	fn := (*Function)(v.p)
	if fn.proto != nil {
		L.tail = fn
		L.tailArgs = len(args)
		L.ret = append(L.ret[:0], args...)
		return recalls
	}
	c := L.applyHost(f, fn, args)
	f.nret, f.ret = c.nret, c.ret
	return returns
}
