package lua

import "unsafe"

// Coroutine is a thread of Lua: a function with a stack of its own that can pause. One that is not
// resumed to its end is unwound when the run ends.
type Coroutine struct {
	fn      Value
	stack   stack   // its own while it does not run, its resumer's while it does
	values  []Value // what resume passes in or yield and return pass out
	status  status
	failed  bool
	mark    uint32
	id      uint32
	base    int // State.ccalls when it was resumed; it can yield only at that depth
	resumer *Coroutine
	worker  *worker // from its first resume to its end
	before  *Coroutine
	after   *Coroutine // neighbours in State.live
}

type status uint8

const (
	suspended status = iota
	running
	normal // has resumed another one
	dead
)

var statusNames = [...]string{"suspended", "running", "normal", "dead"}

const (
	coroutineSegment = 64 + slack
	// coroutineBytes is what a coroutine counts once it has begun: its stacks.
	coroutineBytes = 4096 + coroutineSegment*valueBytes
	threadBytes    = int(unsafe.Sizeof(Coroutine{})) // before
	startTicks     = 100                             // what a new goroutine takes in loop iterations, about
)

// newCoroutine returns a suspended coroutine that will call fn.
func (L *State) newCoroutine(fn Value) *Coroutine {
	L.Alloc(threadBytes)
	return &Coroutine{fn: fn}
}

// resume continues a coroutine with args until it yields, returns or fails, and returns what it
// passes.
func (L *State) resume(co *Coroutine, args []Value) (values []Value, ok bool) {
	if co.status != suspended {
		return []Value{String("cannot resume " + statusNames[co.status] + " coroutine")}, false
	}
	if L.ccalls >= maxHostCalls {
		if co.worker == nil { // C Lua loses the function here
			co.status, co.fn = dead, Nil
		}
		return []Value{String("C stack overflow")}, false
	}
	if co.worker == nil {
		L.Alloc(coroutineBytes)
		if len(L.idle) == 0 {
			L.Tick(startTicks)
		}
	}
	co.values = append(co.values[:0], args...)
	L.enterCoroutine(co)
	co.worker.next()
	L.leaveCoroutine(co)
	if co.status == dead {
		L.bury(co)
	}
	return co.values, !co.failed
}

// enterCoroutine exchanges the running stack for a coroutine's. Depth and calls from Go go on from
// the resumer's: a coroutine has a goroutine of its own, but the limits hold for all of them
// together.
func (L *State) enterCoroutine(co *Coroutine) {
	deepest, calls := L.deepest-int(L.frame.depth), L.ccalls+1
	L.stack, co.stack = co.stack, L.stack
	if co.worker == nil {
		L.start(co)
	}
	L.deepest, L.ccalls, co.base = deepest, calls, calls
	co.resumer, L.running = L.running, co
	if co.resumer != nil {
		co.resumer.status = normal
	}
	co.status = running
}

// leaveCoroutine undoes enterCoroutine.
func (L *State) leaveCoroutine(co *Coroutine) {
	L.running = co.resumer
	if co.resumer != nil {
		co.resumer.status = running
	}
	L.stack, co.stack = co.stack, L.stack
}

// start gives a coroutine a stack and a worker.
func (L *State) start(co *Coroutine) {
	co.after = L.live
	if L.live != nil {
		L.live.before = co
	}
	L.live = co
	if n := len(L.segments); n > 0 {
		L.spare, L.segments = L.segments[n-1], L.segments[:n-1]
	}
	L.addSegment(coroutineSegment)
	co.worker = L.hire(co)
}

// pass yields values from the running coroutine and returns what it is resumed with.
func (L *State) pass(values []Value) []Value {
	co := L.running
	if co == nil || L.ccalls > co.base {
		L.fail("attempt to yield across metamethod/C-call boundary")
	}
	co.values = append(co.values[:0], values...)
	co.status = suspended
	if !co.worker.yield(struct{}{}) {
		panic(killed{})
	}
	return co.values
}

// bury drops a dead coroutine's stack, or keeps it for the next coroutine.
func (L *State) bury(co *Coroutine) {
	if co.before != nil {
		co.before.after = co.after
	} else {
		L.live = co.after
	}
	if co.after != nil {
		co.after.before = co.before
	}
	const keep = 8
	if segment := co.stack.segment; len(segment) == coroutineSegment && len(L.segments) < keep {
		clear(segment)
		L.segments = append(L.segments, segment)
	}
	co.stack, co.fn, co.before, co.after, co.worker = stack{}, Nil, nil, nil, nil
}

// kill unwinds a coroutine that was started and is not dead. The stacks are exchanged meanwhile,
// because the functions on its way out restore State.stack.
func (L *State) kill(co *Coroutine) {
	L.stack, co.stack = co.stack, L.stack
	co.worker.stop()
	L.stack, co.stack = co.stack, L.stack
	co.status = dead
	L.bury(co)
}

// endCoroutines unwinds every coroutine left and lets the workers go.
func (L *State) endCoroutines() {
	for co := L.live; co != nil; co = L.live {
		L.kill(co)
	}
	for _, w := range L.idle {
		w.stop()
	}
	clear(L.idle)
	L.idle = L.idle[:0]
}
