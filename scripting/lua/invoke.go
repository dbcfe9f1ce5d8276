package lua

import "unsafe"

// How functions are entered. An error travels as a panic, and no function on its way has a deferred
// call, which would cost every call: the function that catches the error restores the stack for all
// of them.

const (
	maxCalls     = 20000 // Lua calls nested, as LUAI_MAXCALLS
	maxHostCalls = 200   // calls from Go nested, as LUAI_MAXCCALLS
)

// Call1 calls fn and returns its first result, nil when it returns none. It allocates nothing
// itself.
func (L *State) Call1(fn Value, args ...Value) Value {
	return L.hostCall(fn, args).first()
}

// Call calls fn and returns all its results: the State's own slice, valid until the next call.
func (L *State) Call(fn Value, args ...Value) []Value {
	return L.hostCall(fn, args).results()
}

// hostCall calls fn from Go, counting against the limit on such nesting.
func (L *State) hostCall(fn Value, args []Value) *frame {
	L.ccalls++
	if L.ccalls >= maxHostCalls {
		L.hostOverflow()
	}
	var g *frame
	if fn.n == tagFunction {
		g = L.apply(L.frame, fn, args)
	} else {
		g = L.applyObject(L.frame, fn, args, nil)
	}
	L.ccalls--
	return g
}

// hostOverflow refuses deeper nesting. It throws an ordinary error only once: the error's handlers
// may call functions too, an eighth of the limit deeper.
func (L *State) hostOverflow() {
	if L.ccalls == maxHostCalls {
		L.fail("C stack overflow")
	}
	if L.ccalls >= maxHostCalls+maxHostCalls/8 {
		L.Throw(String("error in error handling"))
	}
}

// first returns the first result of a finished call.
func (g *frame) first() Value {
	switch g.nret {
	case 0:
		return Nil
	case 1:
		return g.ret
	}
	return g.L.ret[0]
}

// results returns all results of a finished call, valid until the next call.
func (g *frame) results() []Value {
	if g.nret == 1 {
		return unsafe.Slice(&g.ret, 1) // one Value, where g is: invariant 1
	}
	return g.L.ret[:g.nret]
}

// apply calls any value for caller, from the site Lua code is at, and returns its popped frame,
// which holds the results until the next call.
func (L *State) apply(caller *frame, v Value, args []Value) *frame {
	if v.n != tagFunction {
		return L.applyObject(caller, v, args, caller.site())
	}
	fn := (*Function)(v.p)
	if fn.proto == nil {
		return L.applyHost(caller, fn, args)
	}
	g, sig := L.applyLua(caller, fn, args, 0)
	if sig == recalls {
		g = L.recall(caller, g)
	}
	return g
}

// applyObject calls a value that is no function through its metamethod.
func (L *State) applyObject(caller *frame, v Value, args []Value, at *Site) *frame {
	tm := L.metatable(v).event(eventCall)
	if !tm.IsFunction() {
		L.typeErrorAt(v, "call", at)
	}
	var buf [8]Value
	return L.apply(caller, tm, append(append(buf[:0], v), args...))
}

// applyHost calls a host function with any number of arguments.
func (L *State) applyHost(caller *frame, fn *Function, args []Value) *frame {
	size := (frameWords + len(args)) * valueBytes
	if L.top+size > L.size {
		return L.onNewSegment(size, func() *frame { return L.applyHost(caller, fn, args) })
	}
	g := L.frameAt(L.top)
	copy(g.window(0, len(args)), args)
	g.nargs = int32(len(args))
	return L.host(caller, fn, g, size)
}

// host runs host function fn in frame c, whose arguments are in place.
func (L *State) host(caller *frame, fn *Function, g *frame, size int) *frame {
	g.fn, g.prev, g.L = fn, caller, L
	g.pc, g.tails, g.nret = 0, 0, 0
	g.depth = caller.level()
	top := L.top
	L.top = top + size
	L.frame = g
	fn.host(L, (*Call)(g))
	L.frame = caller
	L.top = top
	return g
}

// applyLua runs a Lua function with any number of arguments; lost counts the tail calls that led to
// it.
func (L *State) applyLua(caller *frame, fn *Function, args []Value, lost uint32) (*frame, signal) {
	p := fn.proto
	top, size := L.top, p.frame
	if p.params < 0 && len(args) > p.fixed() {
		size += (len(args) - p.fixed()) * valueBytes
	}
	if top+size > L.size {
		var sig signal
		g := L.onNewSegment(size, func() (g *frame) {
			g, sig = L.applyLua(caller, fn, args, lost)
			return g
		})
		return g, sig
	}
	g := L.frameAt(top)
	g.fn, g.prev, g.L = fn, caller, L
	g.pc, g.tails, g.nret = 0, lost, 0
	g.depth = caller.level() + int32(p.weight)
	g.receive(p, args)
	L.top = top + size
	L.frame = g
	if int(g.depth) > L.deepest {
		L.stackOverflow(g)
	}
	L.Tick(1 + len(args)>>4)
	sig := p.body(g)
	L.frame = caller
	L.top = top
	return g, sig
}

// receive places arguments in a new frame.
func (g *frame) receive(p *Proto, args []Value) {
	fixed := p.fixed()
	slots := g.window(0, fixed)
	if n := copy(slots, args); n < fixed {
		clear(slots[n:])
	}
	if p.params < 0 {
		g.nextra = max(len(args)-fixed, 0)
		g.extra = unsafe.Add(unsafe.Pointer(g), p.frame) // within the segment: applyLua made room
		if g.nextra > 0 {
			g.L.ticks -= g.nextra >> 4
			copy(g.extras(), args[fixed:])
		}
	}
}

// onNewSegment makes a call on a stack segment of its own, at least size bytes long. Frames do not
// move, so a full segment cannot grow (invariant 1). The segment remains the spare one, and the
// next call that crosses the border takes it again.
func (L *State) onNewSegment(size int, call func() *frame) *frame {
	base, top, end := L.base, L.top, L.size
	values := max(2*end/valueBytes, size/valueBytes+firstSegment) + slack
	L.holdStack(values * valueBytes)
	L.addSegment(values)
	segment := L.segment
	g := call()
	L.Release(values * valueBytes)
	// The caller reads the results from the frame left behind, so the segment must outlive the
	// call.
	L.spare = segment
	L.base, L.top, L.size = base, top, end
	return g
}

// stackOverflow refuses the call of frame g on behalf of its caller.
func (L *State) stackOverflow(g *frame) {
	L.frame = g.prev
	L.fail("stack overflow")
}

// invoke_few.go holds the calls that Lua code makes with few arguments. f is the running frame, its
// pc is set. A host function is entered at once. So is a Lua function with exactly that many
// parameters, unless the hook is due, the segment is used up or the call too deep; apply does the
// rest.
//
// The functions are generated and repeat each other: arguments in registers need neither a slice
// nor a loop, and a shared part would be another call. Against apply that is twice as fast
// (BenchmarkHandwritten). A frame is complete before it becomes State.frame, because measure visits
// the chain from there.

// ready reports whether a Lua function may be entered at depth at once, and counts the call. One
// comparison answers three questions: the sign bit is set if any of the three differences is
// negative.
func (L *State) ready(depth int) bool {
	L.ticks--
	return L.ticks|(L.size-L.top)|(L.deepest-depth) >= 0
}
