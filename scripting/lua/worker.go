package lua

import "iter"

// worker is a goroutine that runs coroutines, one after the other. It takes turns with its resumer
// and never runs at the same time. iter.Pull switches between the two directly, without the
// scheduler.
type worker struct {
	co    *Coroutine
	next  func() (struct{}, bool) // lets the worker run until it yields
	stop  func()                  // makes yield answer false
	yield func(struct{}) bool
}

// killed is the panic that unwinds a coroutine that will not be resumed.
type killed struct{}

// hire returns a worker that will run co.
func (L *State) hire(co *Coroutine) *worker {
	if n := len(L.idle); n > 0 {
		w := L.idle[n-1]
		L.idle = L.idle[:n-1]
		w.co = co
		return w
	}
	w := &worker{co: co}
	w.next, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		w.yield = yield
		for w.runs(L) {
			L.idle = append(L.idle, w)
			if !yield(struct{}{}) {
				return
			}
		}
	})
	return w
}

// runs runs the worker's coroutine to its end and reports whether the worker is free for another
// one.
func (w *worker) runs(L *State) (free bool) {
	co := w.co
	defer func() {
		w.co = nil
		co.status = dead
		switch problem := recover().(type) {
		case nil:
		case raised:
			co.failed, free = true, true
			co.values = append(co.values[:0], L.pending)
		case killed:
		default:
			panic(problem)
		}
	}()
	g := L.apply(nil, co.fn, co.values)
	co.values = append(co.values[:0], g.results()...)
	return true
}
