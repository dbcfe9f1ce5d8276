package lua

import "unsafe"

// How functions are entered. Errors travel as panics through every caller, who lets them pass:
// what a caller would have restored, whoever catches the error restores.

const (
	maxCalls     = 20000 // Lua calls nested, as LUAI_MAXCALLS
	maxHostCalls = 200   // calls from Go nested, as LUAI_MAXCCALLS
)

// Call1 calls fn and returns its first result, nil when it returns none. It allocates nothing itself.
func (L *State) Call1(fn Value, args ...Value) Value {
	return L.hostCall(fn, args).first()
}

// Call calls fn and returns all its results: the State's own slice, valid until the next call.
func (L *State) Call(fn Value, args ...Value) []Value {
	return L.hostCall(fn, args).results()
}

// hostCall calls fn from Go, counting against the limit on such nesting.
func (L *State) hostCall(fn Value, args []Value) *Call {
	L.ccalls++
	if L.ccalls >= maxHostCalls {
		L.hostOverflow()
	}
	var c *Call
	if fn.n == tagFunction {
		c = L.apply(L.frame, fn, args)
	} else {
		c = L.applyObject(L.frame, fn, args, nil)
	}
	L.ccalls--
	return c
}

// hostOverflow refuses deeper nesting; handlers of that error get a little more.
func (L *State) hostOverflow() {
	if L.ccalls == maxHostCalls {
		L.fail("C stack overflow")
	}
	if L.ccalls >= maxHostCalls+maxHostCalls/8 {
		L.Throw(String("error in error handling"))
	}
}

// first returns the first result of a finished call.
func (c *Call) first() Value {
	switch c.nret {
	case 0:
		return Nil
	case 1:
		return c.ret
	}
	return c.L.ret[0]
}

// results returns all results of a finished call, valid until the next call.
func (c *Call) results() []Value {
	if c.nret == 1 {
		return unsafe.Slice(&c.ret, 1)
	}
	return c.L.ret[:c.nret]
}

// apply calls any value for caller, from the site Lua code is at, and returns its popped frame, which
// holds the results until the next call.
func (L *State) apply(caller *Call, v Value, args []Value) *Call {
	if v.n != tagFunction {
		return L.applyObject(caller, v, args, caller.site())
	}
	fn := (*Function)(v.p)
	if fn.proto == nil {
		return L.applyHost(caller, fn, args)
	}
	c, sig := L.applyLua(caller, fn, args, 0)
	if sig == recalls {
		c = L.recall(caller, c)
	}
	return c
}

// applyObject calls a value that is no function through its metamethod.
func (L *State) applyObject(caller *Call, v Value, args []Value, at *Site) *Call {
	tm := L.metatable(v).event(eventCall)
	if !tm.IsFunction() {
		L.typeErrorAt(v, "call", at)
	}
	var buf [8]Value
	return L.apply(caller, tm, append(append(buf[:0], v), args...))
}

func (L *State) applyHost(caller *Call, fn *Function, args []Value) *Call {
	size := (frameWords + len(args)) * valueBytes
	if L.top+size > L.size {
		return L.onNewSegment(size, func() *Call { return L.applyHost(caller, fn, args) })
	}
	c := (*Call)(unsafe.Add(L.base, L.top))
	copy(unsafe.Slice(&c.slots[0], len(args)), args)
	c.nargs = len(args)
	return L.host(caller, fn, c, size)
}

// host runs host function fn in frame c, whose arguments are in place.
func (L *State) host(caller *Call, fn *Function, c *Call, size int) *Call {
	c.fn, c.prev, c.L, c.nret, c.pc, c.tails = fn, caller, L, 0, 0, 0
	L.top += size
	L.frame = c
	fn.host(L, c)
	L.frame = caller
	L.top -= size
	return c
}

// applyLua runs a Lua function whatever the number of its arguments; lost counts the tail calls that led to it.
func (L *State) applyLua(caller *Call, fn *Function, args []Value, lost uint32) (*Call, signal) {
	p := fn.proto
	size := p.frame
	if p.params < 0 && len(args) > p.fixed() {
		size += (len(args) - p.fixed()) * valueBytes
	}
	if L.top+size > L.size {
		var sig signal
		c := L.onNewSegment(size, func() (c *Call) {
			c, sig = L.applyLua(caller, fn, args, lost)
			return c
		})
		return c, sig
	}
	c := (*Call)(unsafe.Add(L.base, L.top))
	c.fn, c.prev, c.L, c.nret, c.pc, c.tails = fn, caller, L, 0, 0, lost
	c.receive(p, args)
	L.top += size
	L.depth += p.weight
	L.frame = c
	if L.depth > maxCalls {
		L.stackOverflow(c)
	}
	L.Tick(1)
	sig := p.body(c)
	L.frame = caller
	L.top -= size
	L.depth -= p.weight
	return c, sig
}

// receive places arguments in a new frame.
func (c *Call) receive(p *Proto, args []Value) {
	fixed := p.fixed()
	slots := unsafe.Slice(&c.slots[0], fixed)
	if n := copy(slots, args); n < fixed {
		clear(slots[n:])
	}
	if p.params < 0 {
		c.nextra = max(len(args)-fixed, 0)
		c.extra = unsafe.Add(unsafe.Pointer(c), p.frame)
		if c.nextra > 0 {
			copy(c.extras(), args[fixed:])
		}
	}
}

// extras returns the arguments that ... stands for.
func (c *Call) extras() []Value { return unsafe.Slice((*Value)(c.extra), c.nextra) }

// recall makes the tail calls that frame c ended with.
func (L *State) recall(caller, c *Call) *Call {
	for lost := c.tails + 1; ; lost++ {
		var sig signal
		if c, sig = L.applyLua(caller, L.tail, L.ret[:L.tailArgs], lost); sig != recalls {
			return c
		}
	}
}

// onNewSegment makes a call on a stack segment of its own, at least size bytes long.
func (L *State) onNewSegment(size int, call func() *Call) *Call {
	base, top, end := L.base, L.top, L.size
	L.addSegment(max(2*end/valueBytes, size/valueBytes+firstSegment) + slack)
	segment := L.segment
	c := call()
	// The results of a finished call are read from its frame: the segment outlives it as spare.
	L.spare = segment
	L.base, L.top, L.size = base, top, end
	return c
}

// stackOverflow refuses the call of frame c on behalf of its caller.
func (L *State) stackOverflow(c *Call) {
	L.frame = c.prev
	L.fail("stack overflow")
}

// The calls that Lua code makes with few arguments: f's pc is set, f is the running frame.

// ready reports whether a Lua function taking exactly n arguments can be entered at once, and counts the call.
func (L *State) ready(p *Proto, n int) bool {
	L.ticks--
	L.depth += p.weight
	if L.ticks|(L.size-L.top)|(maxCalls-L.depth) < 0 || p.params != n {
		L.ticks++
		L.depth -= p.weight
		return false
	}
	return true
}

// run enters fn in frame c, whose arguments are in place and whose call is counted.
func (f *Call) run(L *State, fn *Function, p *Proto, c *Call) *Call {
	c.fn, c.prev, c.L, c.nret, c.pc, c.tails = fn, f, L, 0, 0, 0
	L.top += p.frame
	L.frame = c
	sig := p.body(c)
	L.frame = f
	L.top -= p.frame
	L.depth -= p.weight
	if sig == recalls {
		return L.recall(f, c)
	}
	return c
}

func (f *Call) call0(fv Value) *Call {
	L := f.L
	if fv.n == tagFunction {
		fn := (*Function)(fv.p)
		c := (*Call)(unsafe.Add(L.base, L.top))
		if p := fn.proto; p == nil {
			c.nargs = 0
			return L.host(f, fn, c, frameWords*valueBytes)
		} else if L.ready(p, 0) {
			return f.run(L, fn, p, c)
		}
	}
	return L.apply(f, fv, nil)
}

func (f *Call) call1(fv, a Value) *Call {
	L := f.L
	if fv.n == tagFunction {
		fn := (*Function)(fv.p)
		c := (*Call)(unsafe.Add(L.base, L.top))
		if p := fn.proto; p == nil {
			c.nargs = 1
			c.slots[0] = a
			return L.host(f, fn, c, (frameWords+1)*valueBytes)
		} else if L.ready(p, 1) {
			c.slots[0] = a
			return f.run(L, fn, p, c)
		}
	}
	return L.apply(f, fv, []Value{a})
}

func (f *Call) call2(fv, a, b Value) *Call {
	L := f.L
	if fv.n == tagFunction {
		fn := (*Function)(fv.p)
		c := (*Call)(unsafe.Add(L.base, L.top))
		if p := fn.proto; p == nil {
			c.nargs = 2
			c.slots[0], c.slots[1] = a, b
			return L.host(f, fn, c, (frameWords+2)*valueBytes)
		} else if L.ready(p, 2) {
			c.slots[0], c.slots[1] = a, b
			return f.run(L, fn, p, c)
		}
	}
	return L.apply(f, fv, []Value{a, b})
}

func (f *Call) call3(fv, a, b, d Value) *Call {
	L := f.L
	if fv.n == tagFunction {
		fn := (*Function)(fv.p)
		c := (*Call)(unsafe.Add(L.base, L.top))
		if p := fn.proto; p == nil {
			c.nargs = 3
			c.slots[0], c.slots[1], c.slots[2] = a, b, d
			return L.host(f, fn, c, (frameWords+3)*valueBytes)
		} else if L.ready(p, 3) {
			c.slots[0], c.slots[1], c.slots[2] = a, b, d
			return f.run(L, fn, p, c)
		}
	}
	return L.apply(f, fv, []Value{a, b, d})
}
