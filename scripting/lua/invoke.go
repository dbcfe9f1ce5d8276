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
	c.nargs = int32(len(args))
	return L.host(caller, fn, c, size)
}

// host runs host function fn in frame c, whose arguments are in place.
func (L *State) host(caller *Call, fn *Function, c *Call, size int) *Call {
	c.fn, c.prev, c.L = fn, caller, L
	c.pc, c.tails, c.nret = 0, 0, 0
	c.depth = caller.level()
	top := L.top
	L.top = top + size
	L.frame = c
	fn.host(L, c)
	L.frame = caller
	L.top = top
	return c
}

// level returns the depth of a frame, 0 for none.
func (c *Call) level() int32 {
	if c == nil {
		return 0
	}
	return c.depth
}

// applyLua runs a Lua function whatever the number of its arguments; lost counts the tail calls that led to it.
func (L *State) applyLua(caller *Call, fn *Function, args []Value, lost uint32) (*Call, signal) {
	p := fn.proto
	top, size := L.top, p.frame
	if p.params < 0 && len(args) > p.fixed() {
		size += (len(args) - p.fixed()) * valueBytes
	}
	if top+size > L.size {
		var sig signal
		c := L.onNewSegment(size, func() (c *Call) {
			c, sig = L.applyLua(caller, fn, args, lost)
			return c
		})
		return c, sig
	}
	c := (*Call)(unsafe.Add(L.base, top))
	c.fn, c.prev, c.L = fn, caller, L
	c.pc, c.tails, c.nret = 0, lost, 0
	c.depth = caller.level() + int32(p.weight)
	c.receive(p, args)
	L.top = top + size
	L.frame = c
	if int(c.depth) > L.deepest {
		L.stackOverflow(c)
	}
	L.Tick(1 + len(args)>>4)
	sig := p.body(c)
	L.frame = caller
	L.top = top
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
			c.L.ticks -= c.nextra >> 4
			copy(c.extras(), args[fixed:])
		}
	}
}

// extras returns the arguments that ... stands for.
func (c *Call) extras() []Value { return unsafe.Slice((*Value)(c.extra), c.nextra) }

// onNewSegment makes a call on a stack segment of its own, at least size bytes long.
func (L *State) onNewSegment(size int, call func() *Call) *Call {
	base, top, end := L.base, L.top, L.size
	values := max(2*end/valueBytes, size/valueBytes+firstSegment) + slack
	L.holdStack(values * valueBytes)
	L.addSegment(values)
	segment := L.segment
	c := call()
	L.Release(values * valueBytes)
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
