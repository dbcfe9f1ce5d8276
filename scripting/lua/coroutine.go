package lua

import "iter"

// Coroutine is a thread of Lua: a function with a stack of its own that can pause.
//
// Each runs on a goroutine that takes turns with its resumer, never beside it. One that is not
// resumed to its end is unwound when the run ends: see State.EndRun.
type Coroutine struct {
	fn      Value
	stack   stack   // while it does not run
	values  []Value // what resume passes in or yield and return pass out
	status  status
	failed  bool
	base    int // depth of the resumer
	resumer *Coroutine
	next    func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	before  *Coroutine // neighbours in State.live
	after   *Coroutine
	id      uint32
	mark    uint32
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
	coroutineSegment = 64
	// coroutineBytes is what a coroutine counts: its stacks.
	coroutineBytes = 4096 + (coroutineSegment+slack)*valueBytes
	maxResumes     = 190 // coroutines resumed by one another
)

// killed is the panic that unwinds a coroutine nobody will resume.
type killed struct{}

// newCoroutine returns a suspended coroutine that will call fn.
func (L *State) newCoroutine(fn Value) *Coroutine {
	L.Alloc(coroutineBytes)
	return &Coroutine{fn: fn}
}

// start gives a coroutine its goroutine when it is first resumed.
func (L *State) start(co *Coroutine) {
	co.after = L.live
	if L.live != nil {
		L.live.before = co
	}
	L.live = co
	co.next, co.stop = iter.Pull(func(yield func(struct{}) bool) {
		co.yield = yield
		defer L.finish(co)
		c := L.apply(nil, co.fn, co.values)
		co.values = append(co.values[:0], c.results()...)
	})
}

// finish runs last on a coroutine's goroutine.
func (L *State) finish(co *Coroutine) {
	co.status = dead
	switch problem := recover().(type) {
	case nil, killed:
	case raised:
		co.failed = true
		co.values = append(co.values[:0], L.pending)
	default:
		panic(problem)
	}
}

// resume continues a coroutine with args until it yields, returns or fails, and returns what it passes.
func (L *State) resume(co *Coroutine, args []Value) (values []Value, ok bool) {
	if co.status != suspended {
		return []Value{String("cannot resume " + statusNames[co.status] + " coroutine")}, false
	}
	if L.resumes >= maxResumes {
		return []Value{String("C stack overflow")}, false
	}
	co.values = append(co.values[:0], args...)
	L.enterCoroutine(co)
	co.next()
	L.leaveCoroutine(co)
	if co.status == dead {
		L.bury(co)
	}
	return co.values, !co.failed
}

// enterCoroutine exchanges the running stack for a coroutine's.
func (L *State) enterCoroutine(co *Coroutine) {
	deepest := L.deepest - int(L.frame.depth)
	co.stack, L.stack = L.stack, co.stack
	if co.next == nil {
		L.start(co)
		L.addSegment(coroutineSegment + slack)
	}
	L.deepest = deepest
	co.resumer, L.running = L.running, co
	if co.resumer != nil {
		co.resumer.status = normal
	}
	co.status = running
	L.resumes++
}

// leaveCoroutine undoes enterCoroutine.
func (L *State) leaveCoroutine(co *Coroutine) {
	L.resumes--
	L.running = co.resumer
	if co.resumer != nil {
		co.resumer.status = running
	}
	co.stack, L.stack = L.stack, co.stack
}

// pass yields values from the running coroutine and returns what it is resumed with.
func (L *State) pass(values []Value) []Value {
	co := L.running
	if co == nil || L.ccalls > 0 {
		L.fail("attempt to yield across metamethod/C-call boundary")
	}
	co.values = append(co.values[:0], values...)
	co.status = suspended
	if !co.yield(struct{}{}) {
		panic(killed{})
	}
	return co.values
}

// bury forgets a dead coroutine's stack.
func (L *State) bury(co *Coroutine) {
	if co.before != nil {
		co.before.after = co.after
	} else {
		L.live = co.after
	}
	if co.after != nil {
		co.after.before = co.before
	}
	co.stack, co.fn, co.before, co.after = stack{}, Nil, nil, nil
}

// killAll unwinds every coroutine that was started and is not dead.
func (L *State) killAll() {
	for co := L.live; co != nil; co = L.live {
		L.kill(co)
	}
}

func (L *State) kill(co *Coroutine) {
	outer := L.stack
	L.stack = co.stack
	co.stop()
	L.stack = outer
	co.status = dead
	L.bury(co)
}
